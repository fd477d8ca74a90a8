import { defineConfig } from 'vitest/config';

/** The unit tests that stand against mutants: those beside the mutated files, and no suite that starts a server. */
export default defineConfig({
  test: {
    include: [
      'packages/records/src/{token-request,build-provenance,claim,digest,agent-name,email-address,repository,reviewer,run-consistency}/**/*.test.ts',
      'packages/records/src/{model-name,witness-receipt}/**/*.test.ts',
      'packages/issuance/src/**/*.test.ts',
      'packages/issuer/src/{api-key,caller}/**/*.test.ts',
      'packages/server/src/configuration/**/*.test.ts',
      'packages/server/src/witnesses/known-receipt.test.ts',
      'packages/witness/src/{agent-run,answer,endpoint,isolation,observed-run,request}/**/*.test.ts',
      'packages/authority/src/{proof-of-possession,identity-token}/**/*.test.ts',
      'packages/oidc/src/**/*.test.ts',
      'packages/sigstore/src/{verify,identity-policy,signed-text}/**/*.test.ts',
      'packages/sigstore/src/trusted-root/issuer-scope.test.ts',
      'packages/notation/src/issuer-pattern/**/*.test.ts',
      'packages/pins/src/{pin-rule,signed-checkpoint}/**/*.test.ts',
      'packages/reconciliation/src/certificate/**/*.test.ts',
      'packages/policy-file/src/full-match/**/*.test.ts',
      'packages/policy-file/src/name-pattern/**/*.test.ts',
      'packages/admission/src/{about,decision,image,meaning,negatives,policy,rejection,subject-pattern}/**/*.test.ts',
      'packages/kubernetes/src/**/*.test.ts',
      'packages/admission/src/{condition,public-key,review-type}/**/*.test.ts',
      'packages/notation/src/version-order/fix-standing.test.ts',
      'packages/notation/src/image-reference/image-reference.test.ts',
      'packages/sbom/src/attribute/written-content.test.ts',
      'packages/remediation-rules/src/remediation/{close-record,component-proof,package-change,scan-tie,scanner-silence,version-standing}.test.ts',
      'packages/vex/src/transition/**/*.test.ts',
      'packages/findings/src/known-exploited/parse-catalog.test.ts',
      'packages/admission/src/disagreement/**/*.test.ts',
      'packages/records/src/standing-negatives/negatives-page.test.ts',
      'packages/evidence/src/negatives/{list-page,share}.test.ts',
      'packages/gate/src/standing-negatives/fetch-negatives.test.ts',
      'packages/grammars/src/comparison/**/*.test.ts',
      'packages/feeds/src/source-package/readers-variable.test.ts',
    ],
    // Thousands of cases for each mutant: what they found stands in the other tests.
    exclude: ['packages/admission/src/decision/{decision,heard}.properties.test.ts'],
    testTimeout: 60_000,
    isolate: false,
  },
});
