/** Lockfiles and package databases of several ecosystems, as their own tools write them, of published versions. */
export const LOCKFILES: ReadonlyArray<readonly [name: string, files: Readonly<Record<string, string>>]> = [
  [
    'npm',
    {
      'package-lock.json': JSON.stringify({
        name: 'shop',
        version: '1.0.0',
        lockfileVersion: 3,
        packages: {
          '': { name: 'shop', version: '1.0.0', dependencies: { lodash: '4.17.20', minimist: '1.2.5' } },
          'node_modules/lodash': { version: '4.17.20' },
          'node_modules/minimist': { version: '1.2.5' },
          'node_modules/@babel/traverse': { version: '7.22.0' },
          'node_modules/semver': { version: '7.3.5' },
        },
      }),
    },
  ],
  [
    'yarn',
    {
      'yarn.lock': `# yarn lockfile v1


express@^4.17.1:
  version "4.17.1"
  resolved "https://registry.yarnpkg.com/express/-/express-4.17.1.tgz#4491fc38605cf51f8629d39c2b5d026f98a4c134"

qs@6.7.0:
  version "6.7.0"
  resolved "https://registry.yarnpkg.com/qs/-/qs-6.7.0.tgz#41dc1a015e3d581f1621776be31afb2876a9b1bc"

"@types/node@*":
  version "14.14.0"
  resolved "https://registry.yarnpkg.com/@types/node/-/node-14.14.0.tgz#f1091b6ad5de18e8e91bdbd43ec63f13de372538"
`,
    },
  ],
  [
    'pnpm',
    {
      'pnpm-lock.yaml': `lockfileVersion: '6.0'

dependencies:
  axios:
    specifier: 0.21.0
    version: 0.21.0

packages:

  /axios@0.21.0:
    resolution: {integrity: sha512-fmkJBknJKoZwem3/IKSSLpkdNXZeBu5Q7GA/aRsr2btgrptmSCxi2oFjZHqGdK9DoTil9PIHlPIZw2EcRJXRvw==}
    dependencies:
      follow-redirects: 1.13.0
    dev: false

  /follow-redirects@1.13.0:
    resolution: {integrity: sha512-aq6gF1BEKje4a9i9+5jimNFIpq4Q1WiwBToeRK5NvZBd/TRsmW8BsJfOEGkr76TbOyPVD3OVDN910EcUNtRYEA==}
    engines: {node: '>=4.0'}
    dev: false
`,
    },
  ],
  ['pip', { 'requirements.txt': 'Django==3.2.4\nJinja2==2.10\nPyYAML==5.3.1\nrequests==2.20.0\n' }],
  [
    'poetry',
    {
      'poetry.lock': ['urllib3 1.26.4', 'pillow 8.1.0', 'zope-interface 5.4.0']
        .map((one) => one.split(' '))
        .map(
          ([name, version]) => `[[package]]\nname = "${name}"\nversion = "${version}"\noptional = false\nfiles = []\n`,
        )
        .join('\n'),
    },
  ],
  [
    'maven',
    {
      'pom.xml': `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>com.example</groupId><artifactId>shop</artifactId><version>1.0.0</version><dependencies>
${[
  'org.apache.logging.log4j:log4j-core:2.14.1',
  'com.fasterxml.jackson.core:jackson-databind:2.9.10',
  'org.springframework:spring-core:5.3.16',
]
  .map((one) => one.split(':'))
  .map(
    ([group, name, version]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`,
  )
  .join('\n')}
</dependencies></project>
`,
    },
  ],
  [
    'go',
    {
      'go.mod': `module example.com/shop

go 1.22

require (
	github.com/gin-gonic/gin v1.6.0
	golang.org/x/text v0.3.5
	gopkg.in/yaml.v2 v2.2.1
)
`,
    },
  ],
  [
    'cargo',
    {
      'Cargo.lock': `version = 3\n\n${['hyper 0.14.9', 'time 0.1.43', 'smallvec 1.6.0']
        .map((one) => one.split(' '))
        .map(
          ([name, version]) =>
            `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n`,
        )
        .join('\n')}`,
    },
  ],
  [
    'bundler',
    {
      'Gemfile.lock': `GEM
  remote: https://rubygems.org/
  specs:
    nokogiri (1.11.0)
    rack (2.2.2)
    rails-html-sanitizer (1.3.0)

PLATFORMS
  ruby

DEPENDENCIES
  nokogiri
  rack
  rails-html-sanitizer
`,
    },
  ],
  [
    'composer',
    {
      'composer.lock': JSON.stringify({
        packages: [
          { name: 'symfony/http-kernel', version: 'v5.4.0', type: 'library' },
          { name: 'guzzlehttp/psr7', version: '1.8.3', type: 'library' },
          { name: 'monolog/monolog', version: '2.2.0', type: 'library' },
        ],
        'packages-dev': [],
      }),
    },
  ],
  [
    'nuget',
    {
      'packages.lock.json': JSON.stringify({
        version: 1,
        dependencies: {
          'net6.0': {
            'Newtonsoft.Json': { type: 'Direct', requested: '[12.0.3, )', resolved: '12.0.3' },
            'System.Text.Encodings.Web': { type: 'Transitive', resolved: '4.7.1' },
          },
        },
      }),
    },
  ],
  [
    'debian',
    {
      'etc/os-release': 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
      'var/lib/dpkg/status': ['bash 5.2.15-2', 'curl 7.88.1-10', 'zlib1g 1.2.13-1 zlib']
        .map((one) => one.split(' '))
        .map(
          ([name, version, source]) =>
            `Package: ${name}\nStatus: install ok installed\n${source === undefined ? '' : `Source: ${source}\n`}Architecture: amd64\nVersion: ${version}\nDescription: x\n`,
        )
        .join('\n'),
    },
  ],
  [
    'alpine',
    {
      'etc/os-release': 'ID=alpine\nVERSION_ID=3.19.1\nPRETTY_NAME="Alpine Linux v3.19"\n',
      'lib/apk/db/installed': ['musl 1.2.4-r4', 'busybox 1.36.1-r15', 'libcrypto3 3.1.4-r5 openssl']
        .map((one) => one.split(' '))
        .map(([name, version, source = name]) => `P:${name}\nV:${version}\nA:x86_64\no:${source}\nT:x\nL:MIT\n`)
        .join('\n'),
    },
  ],
];
