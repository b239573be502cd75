"""A DynamoDB-speaking server for tests; see ../README.md."""
