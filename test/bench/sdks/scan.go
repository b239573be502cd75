// Scan a table with the SDK for Go and take every value: scan ENDPOINT
// states|keys.  Prints as scan.py does.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func scan(client *dynamodb.Client, withStates bool) (rows, size int) {
	names := map[string]string{"#p": "PartitionKey", "#r": "RowKey", "#e": "ETag"}
	projection := "#p,#r,#e"
	if withStates {
		names["#s"] = "GrainState"
		projection += ",#s"
	}
	input := &dynamodb.ScanInput{TableName: aws.String("Pages"), ProjectionExpression: &projection,
		ExpressionAttributeNames: names, ConsistentRead: aws.Bool(true)}
	for {
		page, err := client.Scan(context.Background(), input)
		if err != nil {
			panic(err)
		}
		for _, item := range page.Items {
			rows++
			if state, ok := item["GrainState"].(*types.AttributeValueMemberB); ok {
				size += len(state.Value)
			}
		}
		if page.LastEvaluatedKey == nil {
			return
		}
		input.ExclusiveStartKey = page.LastEvaluatedKey
	}
}

func used() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/aws/aws-sdk-go-v2/service/dynamodb" {
			return module.Version
		}
	}
	return "unknown"
}

func main() {
	client := dynamodb.New(dynamodb.Options{BaseEndpoint: aws.String(os.Args[1]), Region: "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("dummy", "dummyKey", "")})
	withStates := os.Args[2] == "states"
	scan(client, withStates)
	started, cpu := time.Now(), used()
	rows, size := scan(client, withStates)
	wall := time.Since(started)
	fmt.Printf("%d %d %.2f %.2f go %s\n", rows, size, float64(wall.Microseconds())/float64(rows), float64((used()-cpu).Microseconds())/float64(rows), version())
}
