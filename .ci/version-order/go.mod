module colophon.example/ci/version-order

go 1.26.3

require github.com/google/osv-scalibr v0.5.3
