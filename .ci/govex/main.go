// Answers, for triples of vulnerability, product and subcomponent on standard input (one JSON object a line), which
// statements of the VEX documents named as arguments match by go-vex's own rules, and which status the library gives.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"

	"github.com/openvex/go-vex/pkg/vex"
)

type question struct {
	Vulnerability string   `json:"vulnerability"`
	Product       string   `json:"product"`
	Subcomponents []string `json:"subcomponents"`
}

type answer struct {
	// By the numbers of document and statement.
	Matches [][2]int `json:"matches"`
	// Of the latest statement of each document that has one.
	Statuses []string `json:"statuses"`
}

func main() {
	documents := make([]*vex.VEX, 0, len(os.Args)-1)
	for _, path := range os.Args[1:] {
		document, err := vex.Load(path)
		if err != nil {
			log.Fatalf("%s: %v", path, err)
		}
		documents = append(documents, document)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 0, 1<<16), 1<<24)
	for in.Scan() {
		var asked question
		if err := json.Unmarshal(in.Bytes(), &asked); err != nil {
			log.Fatal(err)
		}
		if err := encoder.Encode(answerTo(asked, documents)); err != nil {
			log.Fatal(err)
		}
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
}

func answerTo(asked question, documents []*vex.VEX) answer {
	found := answer{Matches: [][2]int{}, Statuses: []string{}}
	for number, document := range documents {
		for position := range document.Statements {
			if document.Statements[position].Matches(asked.Vulnerability, asked.Product, asked.Subcomponents) {
				found.Matches = append(found.Matches, [2]int{number, position})
			}
		}
		statements := document.Matches(asked.Vulnerability, asked.Product, asked.Subcomponents)
		if len(statements) > 0 {
			found.Statuses = append(found.Statuses, string(statements[len(statements)-1].Status))
		}
	}
	return found
}
