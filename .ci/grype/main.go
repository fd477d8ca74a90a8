// Command grype-database makes a vulnerability database for grype from a few OSV records, for tests that must not depend on
// what the world's advisories say today.
//
//	grype-database -out FOLDER -built 2026-11-20T00:00:00Z < records.json
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	v6 "github.com/anchore/grype/grype/db/v6"
	"github.com/spf13/afero"
)

type record struct {
	ID        string    `json:"id"`
	Aliases   []string  `json:"aliases"`
	Summary   string    `json:"summary"`
	Published time.Time `json:"published"`
	Modified  time.Time `json:"modified"`
	Severity  []struct {
		Type  string `json:"type"`
		Score string `json:"score"`
	} `json:"severity"`
	Affected []struct {
		Package struct {
			Ecosystem string `json:"ecosystem"`
			Name      string `json:"name"`
		} `json:"package"`
		Ranges []struct {
			Events []struct {
				Introduced string `json:"introduced"`
				Fixed      string `json:"fixed"`
			} `json:"events"`
		} `json:"ranges"`
	} `json:"affected"`
}

// What grype calls the ecosystems of OSV, and the format of their versions.
var ecosystems = map[string]struct{ name, format string }{
	"Maven": {"java-archive", "maven"},
	"Go":    {"go-module", "go"},
	"npm":   {"npm", "semver"},
	"PyPI":  {"python", "python"},
}

func main() {
	out := flag.String("out", "", "folder to make the database in")
	built := flag.String("built", "", "when it was built (RFC 3339)")
	flag.Parse()
	if err := run(*out, *built); err != nil {
		log.Fatal(err)
	}
}

func run(out, built string) error {
	builtAt, err := time.Parse(time.RFC3339, built)
	if err != nil {
		return err
	}
	var records []record
	if err := json.NewDecoder(os.Stdin).Decode(&records); err != nil {
		return err
	}
	folder := filepath.Join(out, fmt.Sprint(v6.ModelVersion))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	config := v6.Config{DBDirPath: folder}
	db, err := v6.NewWriter(config)
	if err != nil {
		return err
	}
	provider := &v6.Provider{ID: "github", Version: "1", Processor: "grype-database", DateCaptured: &builtAt}
	for _, r := range records {
		if err := add(db, provider, r); err != nil {
			return fmt.Errorf("%s: %w", r.ID, err)
		}
	}
	if err := db.SetDBMetadata(); err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	if err := stamp(config.DBFilePath(), builtAt); err != nil {
		return err
	}
	_, err = v6.WriteImportMetadata(afero.NewOsFs(), folder, "grype-database")
	return err
}

func add(db v6.ReadWriter, provider *v6.Provider, r record) error {
	blob := &v6.VulnerabilityBlob{ID: strings.ToLower(r.ID), Description: r.Summary, Aliases: r.Aliases}
	for rank, s := range r.Severity {
		version := strings.TrimPrefix(strings.SplitN(s.Score, "/", 2)[0], "CVSS:")
		value := v6.CVSSSeverity{Vector: s.Score, Version: version}
		blob.Severities = append(blob.Severities, v6.Severity{Scheme: v6.SeveritySchemeCVSS, Value: value, Source: "nvd@nist.gov", Rank: rank + 1})
	}
	handle := &v6.VulnerabilityHandle{
		Name: r.ID, Status: v6.VulnerabilityActive, Provider: provider, BlobValue: blob,
		PublishedDate: &r.Published, ModifiedDate: &r.Modified,
	}
	if err := db.AddVulnerabilities(handle); err != nil {
		return err
	}
	for _, affected := range r.Affected {
		ecosystem, known := ecosystems[affected.Package.Ecosystem]
		if !known {
			return fmt.Errorf("no ecosystem %q", affected.Package.Ecosystem)
		}
		pkg := &v6.PackageBlob{}
		for _, alias := range r.Aliases {
			if strings.HasPrefix(alias, "CVE-") {
				pkg.CVEs = append(pkg.CVEs, alias)
			}
		}
		for _, ranges := range affected.Ranges {
			for i, event := range ranges.Events {
				if event.Introduced == "" {
					continue
				}
				constraint := ">=" + event.Introduced
				fix := &v6.Fix{State: v6.NotFixedStatus}
				if i+1 < len(ranges.Events) && ranges.Events[i+1].Fixed != "" {
					fixed := ranges.Events[i+1].Fixed
					constraint += ",<" + fixed
					fix = &v6.Fix{State: v6.FixedStatus, Version: fixed}
				}
				version := v6.Version{Type: ecosystem.format, Constraint: constraint}
				pkg.Ranges = append(pkg.Ranges, v6.Range{Version: version, Fix: fix})
			}
		}
		err := db.AddAffectedPackages(&v6.AffectedPackageHandle{
			Vulnerability: handle, BlobValue: pkg,
			Package: &v6.Package{Ecosystem: ecosystem.name, Name: affected.Package.Name},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func stamp(file string, builtAt time.Time) error {
	db, err := v6.NewLowLevelDB(file, false, true, false)
	if err != nil {
		return err
	}
	connection, err := db.DB()
	if err != nil {
		return err
	}
	defer connection.Close()
	return db.Model(&v6.DBMetadata{}).Where("true").Update("build_timestamp", builtAt).Error
}
