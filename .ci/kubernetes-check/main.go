// kubernetes-check reads manifests as the API server does: every field by the real types, none that they do not have, and
// each pod by the restricted Pod Security Standard. Standard input holds the documents; each problem is a line.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

func main() {
	scheme := runtime.NewScheme()
	must(appsv1.AddToScheme(scheme))
	must(batchv1.AddToScheme(scheme))
	must(corev1.AddToScheme(scheme))
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks())
	must(err)
	documents := yaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	problems, pods := 0, 0
	report := func(format string, values ...any) {
		problems++
		fmt.Printf(format+"\n", values...)
	}
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		must(err)
		object, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			report("%v", err)
			continue
		}
		var template corev1.PodTemplateSpec
		switch workload := object.(type) {
		case *appsv1.Deployment:
			template = workload.Spec.Template
		case *batchv1.Job:
			template = workload.Spec.Template
		default:
			continue
		}
		pods++
		restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
		for _, result := range evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec) {
			if !result.Allowed {
				report("%s: %s: %s", kind.Kind, result.ForbiddenReason, result.ForbiddenDetail)
			}
		}
	}
	if pods == 0 {
		report("no pod")
	}
	if problems > 0 {
		os.Exit(1)
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
