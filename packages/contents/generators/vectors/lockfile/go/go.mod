module example.com/vector

go 1.22

require github.com/spf13/cobra v1.8.0

require (
	example.com/part v0.0.0
	golang.org/x/text v0.14.0
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/spf13/pflag v1.0.5 // indirect
)

replace golang.org/x/text => golang.org/x/text v0.15.0

replace example.com/part => ./part

exclude golang.org/x/text v0.13.0
