/*
 * XML: what is read, and what is no XML.
 */
#include <string.h>

#include "aws/xml.h"
#include "creds_test.h"
#include "tap.h"

static void
expect(const char *text, const char *expected)
{
	TxsXmlField field = {"a/b", {NULL, 0}};
	const char *problem = txs_xml_read(slice(text), &field, 1);
	char out[16];

	if (problem == NULL && field.value.data != NULL)
		ok(txs_xml_unescape(field.value, out, sizeof(out)) &&
			   same_text(out, expected),
		   "xml: %s", text);
	else
		ok(problem == NULL && expected == NULL, "xml: nothing in %s", text);
}

static void
refuse_as(const char *what, const char *text)
{
	TxsXmlField field = {"a/b", {NULL, 0}};

	ok(txs_xml_read(slice(text), &field, 1) != NULL, "xml: refused: %s", what);
}

static void
refuse(const char *text)
{
	refuse_as(text, text);
}

void
test_xml(void)
{
	char out[3];

	expect("<a><b>x</b></a>", "x");
	expect("<?xml version=\"1.0\"?>\t<a x='>' y = \"2\"><b > x y </b ></a> ",
		   "x y");
	expect("<a><b>&lt;&gt;&amp;&quot;&apos;</b></a>", "<>&\"'");
	expect("<a><b/></a>", "");
	expect("<a><b></b></a>", "");
	expect("<a><!-- <b>y</b> --><b>x</b></a>", "x");
	expect("<a/>", NULL);
	expect("<a><c><b>x</b></c></a>", NULL);
	expect("<a><bb>x</bb></a>", NULL);
	expect("<b>x</b>", NULL);
	refuse("");
	refuse("x");
	refuse("<a>");
	refuse("<a></b>");
	refuse("</a>");
	refuse("<a/><a/>");
	refuse("<a/>x");
	refuse("<a");
	refuse("<a x>");
	refuse("<a x=1/>");
	refuse("<a x=\"1/>");
	refuse("<a><!-- </a>");
	refuse("<a>&x;</a>");
	refuse("<a>&#65;</a>");
	refuse_as("a control character", "<a>\x01</a>");
	refuse_as("a byte that is not UTF-8", "<a>\xFF</a>");
	refuse("<!DOCTYPE a><a/>");
	refuse("<a><b><![CDATA[x]]></b></a>");
	refuse("<a><b>x</b><b>y</b></a>");
	refuse("<a><b><c/></b></a>");
	expect("<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a></a></a></a></a>"
		   "</a></a></a></a></a></a></a></a></a></a></a></a>",
		   NULL);
	refuse("<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a/></a></a></a>"
		   "</a></a></a></a></a></a></a></a></a></a></a></a></a>");
	ok(txs_xml_unescape(slice("ab"), out, 3) &&
		   !txs_xml_unescape(slice("abc"), out, 3),
	   "xml: a text that does not fit is refused");
}
