// Answers, for lines of package URL type, version and version on standard input (separated by tabs), how osv-scalibr
// orders the two: -1, 0, 1, or `error` where it has no order for them.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/google/osv-scalibr/semantic"
)

var ecosystems = map[string]string{
	"apk":      "Alpine",
	"cargo":    "crates.io",
	"composer": "Packagist",
	"deb":      "Debian",
	"gem":      "RubyGems",
	"golang":   "Go",
	"hex":      "Hex",
	"maven":    "Maven",
	"npm":      "npm",
	"nuget":    "NuGet",
	"pub":      "Pub",
	"pypi":     "PyPI",
	"rpm":      "Red Hat",
	"swift":    "SwiftURL",
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		fields := strings.Split(in.Text(), "\t")
		if len(fields) != 3 {
			log.Fatalf("three fields expected: %q", in.Text())
		}
		fmt.Fprintln(out, compare(fields[0], fields[1], fields[2]))
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
}

func compare(packageType, left, right string) string {
	version, err := semantic.Parse(left, ecosystems[packageType])
	if err != nil {
		return "error"
	}
	order, err := version.CompareStr(right)
	if err != nil {
		return "error"
	}
	return fmt.Sprint(order)
}
