/*
 * The little XML that an old AWS API answers with; see xml.h.
 */
#include "aws/xml.h"

#include <string.h>

typedef struct Document
{
	const char *at;
	const char *end;
	TxsXmlField *fields;
	int nfields;
	int depth;
	TxsSlice names[TXS_XML_MAX_DEPTH]; /* of the open elements */
	const char *content; /* where the innermost one's text begins; NULL once
							 it has had a child */
	bool has_root;
	const char *problem;
} Document;

static const char *const malformed = "the XML is malformed";

static void read_markup(Document *document);
static void read_start(Document *document);
static void read_end(Document *document);
static void open_element(Document *document, TxsSlice name);
static void close_element(Document *document, TxsSlice text);
static void read_text(Document *document);
static void skip_past(Document *document, const char *ending);
static bool skip_attributes(Document *document);
static bool skip_attribute(Document *document);
static TxsSlice read_name(Document *document);
static bool is_at(const Document *document, const char *path);
static bool is_name_start(char c);
static bool is_name_char(char c);
static bool skip_space(Document *document);
static bool starts(const Document *document, const char *text);
static size_t entity_length(const char *at, const char *end, char *value);
static TxsSlice trim(const char *from, const char *to);
static bool is_space(char c);
static bool has_control(TxsSlice text);

const char *
txs_xml_read(TxsSlice text, TxsXmlField *fields, int nfields)
{
	Document document;
	int i;

	memset(&document, 0, sizeof(document));
	document.at = text.data;
	document.end = text.length > 0 ? text.data + text.length : text.data;
	document.fields = fields;
	document.nfields = nfields;
	for (i = 0; i < nfields; i++)
	{
		fields[i].value.data = NULL;
		fields[i].value.length = 0;
	}
	if (text.length > TXS_XML_MAX_TEXT)
		return "the XML is too long";
	if (!txs_utf8_is_valid(text.data, text.length) || has_control(text))
		return malformed;

	while (document.at < document.end && document.problem == NULL)
	{
		if (*document.at == '<')
			read_markup(&document);
		else
			read_text(&document);
	}
	if (document.problem == NULL && (document.depth > 0 || !document.has_root))
		return malformed;
	return document.problem;
}

bool
txs_xml_unescape(TxsSlice value, char *out, size_t size)
{
	const char *at = value.data;
	const char *end = value.length > 0 ? at + value.length : at;
	size_t length = 0;

	while (at < end)
	{
		char c = *at;
		size_t step = c == '&' ? entity_length(at, end, &c) : 1;

		if (step == 0 || length + 1 >= size)
			return false;
		out[length++] = c;
		at += step;
	}
	if (length >= size)
		return false;
	out[length] = '\0';
	return true;
}

static void
read_markup(Document *document)
{
	if (starts(document, "<!--"))
	{
		document->at += 4;
		skip_past(document, "-->");
	}
	else if (starts(document, "<?"))
		skip_past(document, "?>");
	else if (starts(document, "<!"))
		document->problem = "the XML has a DOCTYPE or CDATA";
	else if (starts(document, "</"))
		read_end(document);
	else
		read_start(document);
}

static void
read_start(Document *document)
{
	TxsSlice name;
	bool is_empty;

	document->at++;
	name = read_name(document);
	if (name.length == 0 || !skip_attributes(document))
	{
		document->problem = malformed;
		return;
	}
	is_empty = *document->at == '/';
	document->at += is_empty ? 2 : 1;
	open_element(document, name);
	if (is_empty && document->problem == NULL)
		close_element(document, trim(document->at, document->at));
}

static void
read_end(Document *document)
{
	const char *before = document->at;
	TxsSlice name;
	TxsSlice open;

	document->at += 2;
	name = read_name(document);
	skip_space(document);
	if (document->depth == 0 || !starts(document, ">"))
	{
		document->problem = malformed;
		return;
	}
	document->at++;
	open = document->names[document->depth - 1];
	if (name.length != open.length ||
		memcmp(name.data, open.data, name.length) != 0)
		document->problem = malformed;
	else
		close_element(document, trim(document->content, before));
}

static void
open_element(Document *document, TxsSlice name)
{
	if (document->depth == 0 && document->has_root)
		document->problem = malformed;
	else if (document->depth == TXS_XML_MAX_DEPTH)
		document->problem = "the XML is nested too deeply";
	else
	{
		document->has_root = true;
		document->names[document->depth++] = name;
		document->content = document->at;
	}
}

static void
close_element(Document *document, TxsSlice text)
{
	int i;

	for (i = 0; i < document->nfields; i++)
	{
		TxsXmlField *field = &document->fields[i];

		if (!is_at(document, field->path))
			continue;
		if (field->value.data != NULL)
			document->problem = "the XML has an element twice";
		else if (text.data == NULL)
			document->problem = "the XML has an element where text belongs";
		else
			field->value = text;
	}
	document->depth--;
	document->content = NULL;
}

static void
read_text(Document *document)
{
	while (document->at < document->end && *document->at != '<')
	{
		char c = *document->at;
		size_t step = 1;

		if (c == '&')
			step = entity_length(document->at, document->end, &c);
		if (step == 0 || (document->depth == 0 && !is_space(c)))
		{
			document->problem = malformed;
			return;
		}
		document->at += step;
	}
}

/* Also ends the text of an element that is wanted: that has no such thing. */
static void
skip_past(Document *document, const char *ending)
{
	document->content = NULL;
	while (document->at < document->end && !starts(document, ending))
		document->at++;
	if (document->at == document->end)
		document->problem = malformed;
	else
		document->at += strlen(ending);
}

/* Up to ">" or "/>"; false if neither comes. */
static bool
skip_attributes(Document *document)
{
	for (;;)
	{
		bool spaced = skip_space(document);

		if (starts(document, ">") || starts(document, "/>"))
			return true;
		if (!spaced || !skip_attribute(document))
			return false;
	}
}

static bool
skip_attribute(Document *document)
{
	char quote;

	if (read_name(document).length == 0)
		return false;
	skip_space(document);
	if (!starts(document, "="))
		return false;
	document->at++;
	skip_space(document);
	if (!starts(document, "\"") && !starts(document, "'"))
		return false;
	quote = *document->at++;
	while (document->at < document->end && *document->at != quote &&
		   *document->at != '<')
		document->at++;
	if (document->at == document->end || *document->at != quote)
		return false;
	document->at++;
	return true;
}

static TxsSlice
read_name(Document *document)
{
	TxsSlice name = {document->at, 0};

	if (document->at < document->end && is_name_start(*document->at))
	{
		while (document->at < document->end && is_name_char(*document->at))
			document->at++;
	}
	name.length = document->at - name.data;
	return name;
}

/* Are the open elements those of the path? */
static bool
is_at(const Document *document, const char *path)
{
	int i;

	for (i = 0; i < document->depth; i++)
	{
		TxsSlice name = document->names[i];

		if (i > 0 && *path++ != '/')
			return false;
		if (strncmp(path, name.data, name.length) != 0)
			return false;
		path += name.length;
	}
	return *path == '\0';
}

static bool
is_name_start(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool
is_name_char(char c)
{
	return is_name_start(c) || (c >= '0' && c <= '9') || c == '-' ||
		   c == '.' || c == ':';
}

static bool
skip_space(Document *document)
{
	const char *before = document->at;

	while (document->at < document->end && is_space(*document->at))
		document->at++;
	return document->at > before;
}

static bool
starts(const Document *document, const char *text)
{
	size_t length = strlen(text);

	return (size_t) (document->end - document->at) >= length &&
		   memcmp(document->at, text, length) == 0;
}

/* Length and character of the reference that begins here; 0: it is none. */
static size_t
entity_length(const char *at, const char *end, char *value)
{
	static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;",
										"&apos;"};
	static const char values[] = "<>&\"'";
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		size_t length = strlen(names[i]);

		if ((size_t) (end - at) >= length && memcmp(at, names[i], length) == 0)
		{
			*value = values[i];
			return length;
		}
	}
	return 0;
}

static TxsSlice
trim(const char *from, const char *to)
{
	TxsSlice text = {from, 0};

	if (from == NULL)
		return text;
	while (from < to && is_space(*from))
		from++;
	while (from < to && is_space(to[-1]))
		to--;
	text.data = from;
	text.length = to - from;
	return text;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool
has_control(TxsSlice text)
{
	size_t i;

	for (i = 0; i < text.length; i++)
	{
		if ((unsigned char) text.data[i] < 0x20 && !is_space(text.data[i]))
			return true;
	}
	return false;
}
