// Scan a table with the SDK for JavaScript and take every value:
// scan.mjs ENDPOINT states|keys.  Prints as scan.py does.
import { createRequire } from "node:module";
import { DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";

const version = createRequire(import.meta.url)("@aws-sdk/client-dynamodb/package.json").version;
const client = new DynamoDBClient({ endpoint: process.argv[2], region: "us-east-1", credentials: { accessKeyId: "dummy", secretAccessKey: "dummyKey" } });
const names = { "#p": "PartitionKey", "#r": "RowKey", "#e": "ETag" };
if (process.argv[3] === "states") names["#s"] = "GrainState";

async function scan() {
	let rows = 0, size = 0, start;
	do {
		const page = await client.send(new ScanCommand({ TableName: "Pages", ProjectionExpression: Object.keys(names).join(","),
			ExpressionAttributeNames: names, ConsistentRead: true, ExclusiveStartKey: start }));
		for (const item of page.Items) {
			rows++;
			size += item.GrainState ? item.GrainState.B.length : 0;
		}
		start = page.LastEvaluatedKey;
	} while (start);
	return [rows, size];
}

await scan();
const started = process.hrtime.bigint(), before = process.cpuUsage();
const [rows, size] = await scan();
const cpu = process.cpuUsage(before);
console.log(rows, size, (Number(process.hrtime.bigint() - started) / 1e3 / rows).toFixed(2), ((cpu.user + cpu.system) / rows).toFixed(2), `node ${version}`);
