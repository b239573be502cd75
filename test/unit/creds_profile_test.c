/*
 * The syntax of the shared files, and which of their sections and values count.
 */
#include <stdlib.h>
#include <string.h>

#include "creds_test.h"
#include "tap.h"

/* One profile of a config and a credentials file. */
typedef struct Case
{
	const char *what;
	const char *name;
	const char *config;
	const char *credentials;
	const char *region; /* expected */
	const char *id;		/* expected */
} Case;

static const Case cases[] = {
	{"no files", "default", "", "", NULL, NULL},
	{"[default] in config", "default", "[default]\nregion = r", "", "r", NULL},
	{"[profile x] in config", "x", "[profile x]\nregion=r\n", "", "r", NULL},
	{"[x] in config is not a profile", "x", "[x]\nregion=r\n", "", NULL, NULL},
	{"[x] in credentials", "x", "", "[x]\naws_access_key_id=A\n", NULL, "A"},
	{"[profile x] in credentials is another", "x", "",
	 "[profile x]\naws_access_key_id=A\n", NULL, NULL},
	{"another profile", "x", "[profile y]\nregion=r\n", "", NULL, NULL},
	{"names have a case", "x", "[profile X]\nregion=r\n", "", NULL, NULL},
	{"blanks in a header", "x", "[ profile \t x ]\nregion=r\n", "", "r", NULL},
	{"quotes in a header", "a b", "[profile \"a b\"]\nregion=r\n", "", "r",
	 NULL},
	{"a comment after a header", "x", "[profile x] # c\nregion=r\n", "", "r",
	 NULL},
	{"other sections", "x",
	 "[sso-session x]\nregion=s\n[services x]\nregion=t\n", "", NULL, NULL},
	{"the first = splits", "x", "[profile x]\nregion=a=b\n", "", "a=b", NULL},
	{"blanks around a value", "x", "[profile x]\nregion \t=  r \t\r\n", "",
	 "r", NULL},
	{"lines of comments", "x", "# c\n; c\n[profile x]\n#region=q\nregion=r\n",
	 "", "r", NULL},
	{"an inline comment after a blank", "x",
	 "[profile x]\nregion=r #c\n[profile y]\n", "", "r", NULL},
	{"an inline comment with a semicolon", "x", "[profile x]\nregion=r ;c", "",
	 "r", NULL},
	{"no inline comment without a blank", "x", "[profile x]\nregion=r#c;d\n",
	 "", "r#c;d", NULL},
	{"a line goes on", "x", "[profile x]\nregion=r\n  s # t\n", "", "r\ns # t",
	 NULL},
	{"empty lines do not end it", "x", "[profile x]\nregion=r\n\n s\n", "",
	 "r\ns", NULL},
	{"a sub-property is not a property", "x",
	 "[profile x]\ns3 =\n  region = q\n", "", NULL, NULL},
	{"an empty value", "x", "[profile x]\nregion=\n", "", NULL, NULL},
	{"the last of two values wins", "x", "[profile x]\nregion=q\nregion=r\n",
	 "", "r", NULL},
	{"sections merge", "x",
	 "[profile x]\nregion=q\naws_access_key_id=A\n[profile y]\n"
	 "[profile x]\nregion=r\n",
	 "", "r", "A"},
	{"property names have no case", "x", "[profile x]\nRegion=r\n", "", "r",
	 NULL},
	{"credentials win over config", "x",
	 "[profile x]\nregion=q\naws_access_key_id=A\n",
	 "[x]\nregion=r\naws_access_key_id=B\n", "r", "B"},
	{"config adds to credentials", "x", "[profile x]\nregion=r\n",
	 "[x]\naws_access_key_id=B\n", "r", "B"},
	{"[profile default] beats [default] before", "default",
	 "[default]\nregion=q\naws_access_key_id=A\n[profile default]\nregion=r\n",
	 "", "r", NULL},
	{"[profile default] beats [default] after", "default",
	 "[profile default]\nregion=r\n[default]\nregion=q\n", "", "r", NULL},
	{"a byte order mark", "x", "\xEF\xBB\xBF[profile x]\nregion=r\n", "", "r",
	 NULL},
	{"an indented file", "x",
	 "  [profile x]\n  region=r\n  aws_access_key_id=A\n", "", "r", "A"},
};

static void
test_case(const Case *one)
{
	TxsProfile profile;
	TxsProfileError error;
	bool done = txs_profile_read(one->name, slice(one->config),
								 slice(one->credentials), &profile, &error);

	ok(done && same_text(profile.region, one->region) &&
		   same_text(profile.access_key_id, one->id),
	   "profile: %s", one->what);
	txs_profile_free(&profile);
}

static void
test_error(const char *what, const char *config, int line)
{
	TxsProfile profile;
	TxsProfileError error;
	bool done =
		txs_profile_read("x", slice(config), slice(""), &profile, &error);

	ok(!done && error.problem != NULL && error.line == line &&
		   error.file == TXS_PROFILE_CONFIG &&
		   strstr(error.problem, "SECRET") == NULL,
	   "profile: %s is an error of line %d", what, line);
	ok(!profile.found && profile.region == NULL,
	   "profile: nothing is left after %s", what);
	txs_profile_free(&profile);
}

static void
test_never_mixed(void)
{
	TxsProfile profile;
	TxsProfileError error;

	txs_profile_read("x",
					 slice("[profile x]\naws_access_key_id=A\n"
						   "aws_secret_access_key=S\naws_session_token=T\n"),
					 slice("[x]\naws_access_key_id=B\n"
						   "aws_secret_access_key=U\n"),
					 &profile, &error);
	ok(same_text(profile.access_key_id, "B") &&
		   same_text(profile.secret_access_key, "U") &&
		   profile.session_token == NULL,
	   "profile: keys of one file do not get the other's token");
	txs_profile_free(&profile);

	txs_profile_read("x",
					 slice("[profile x]\naws_access_key_id=A\n"
						   "aws_secret_access_key=S\n"),
					 slice("[x]\naws_session_token=T\n"), &profile, &error);
	ok(same_text(profile.access_key_id, "A") && profile.session_token == NULL,
	   "profile: a token alone does not go to the other file's keys");
	txs_profile_free(&profile);
}

static void
test_services(void)
{
	TxsProfile profile;
	TxsProfileError error;

	txs_profile_read("x",
					 slice("[services other]\ndynamodb =\n"
						   "  endpoint_url = http://wrong\n"
						   "[services s]\ndynamodb =\n"
						   "  endpoint_url = http://d\n"
						   "sts =\n  other = 1\n  endpoint_url = http://t\n"
						   "s3 =\n  endpoint_url = http://wrong\n"
						   "[profile x]\nservices = s\n"
						   "endpoint_url = http://all\n"),
					 slice(""), &profile, &error);
	ok(same_text(profile.dynamodb_endpoint_url, "http://d"),
	   "profile: the endpoint of DynamoDB is its block's");
	ok(same_text(profile.sts_endpoint_url, "http://t"),
	   "profile: the endpoint of STS is its block's");
	ok(same_text(profile.endpoint_url, "http://all"),
	   "profile: the endpoint of all services is the profile's");
	txs_profile_free(&profile);
}

static void
test_limits(void)
{
	size_t size = TXS_PROFILE_MAX_TEXT + 1;
	char *text = malloc(size);
	TxsProfile profile;
	TxsProfileError error;

	memset(text, '\n', size);
	ok(txs_profile_read("x", (TxsSlice){text, size - 1}, slice(""), &profile,
						&error),
	   "profile: a file of the largest size is read");
	ok(!txs_profile_read("x", (TxsSlice){text, size}, slice(""), &profile,
						 &error) &&
		   error.line == 0,
	   "profile: a larger file is an error");
	ok(!txs_profile_read("x", slice(""), (TxsSlice){text, size}, &profile,
						 &error) &&
		   error.file == TXS_PROFILE_CREDENTIALS,
	   "profile: the error names the file");

	memset(text, 'v', size);
	memcpy(text, "[profile x]\nregion=", 19);
	ok(txs_profile_read("x", (TxsSlice){text, 19 + TXS_PROFILE_MAX_VALUE},
						slice(""), &profile, &error) &&
		   strlen(profile.region) == TXS_PROFILE_MAX_VALUE,
	   "profile: a value of the largest size is read");
	txs_profile_free(&profile);
	ok(!txs_profile_read("x", (TxsSlice){text, 20 + TXS_PROFILE_MAX_VALUE},
						 slice(""), &profile, &error),
	   "profile: a larger value is an error");
	text[5] = '\0';
	ok(!txs_profile_read("x", (TxsSlice){text, 30}, slice(""), &profile,
						 &error),
	   "profile: a NUL byte is an error");
	free(text);
}

void
test_profile(void)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_case(&cases[i]);
	test_error("a property before a section", "\nregion=SECRET\n", 2);
	test_error("a header without an end", "[profile x\n", 1);
	test_error("a property without =", "[profile x]\nregion=r\nSECRET\n", 3);
	test_error("a block's line without =", "[profile x]\ns3=\n SECRET\n", 3);
	test_never_mixed();
	test_services();
	test_limits();
}
