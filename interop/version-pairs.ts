/** Versions as they are published, by package URL type: what the pairs are made of. */
const PUBLISHED: Readonly<Record<string, string>> = {
  apk: '1.1.1w-r1 3.1.4-r5 1.36.1-r2 1.2.4-r2 8.5.0-r0 2.12.7_git20240101-r0 0.9.28-r3 1.0_p10-r0 1.0_p9-r0 2.1_pre26 1.3_alpha2 1.3_alpha 4.5_p1-r1 0.10.1_rc1 2.5.1a-r1 6b-r7 1.02.07 1.02.10-r1 20230506-r0 1.0_alpha_pre2 1.2.3~0a1b2c-r1 1.05 1.1 10.42-r2 5.28.0 1.39_beta1',
  cargo:
    '1.0.0 0.9.9 1.0.0-rc.1 1.0.197 0.14.27 2.0.0-alpha.3 1.0.0-alpha 1.0.0-alpha.beta 0.3.1+1.2.13 3.0.0-beta.2 10.0.0 1.0.0-rc.10 0.2.0-pre',
  composer:
    '1.0.0 v1.2.3 6.4.18 v5.4.46 2.0.0-beta1 2.0.0-alpha3 3.0.0-RC1 3.0.0-RC2 1.0 1.0.0.1 1.0.0-p1 1.0.0-patch2 4.4.0 1.0.0-dev 2.0.0-beta 10.48.29 8.0.0-rc2 1.2.3-pl1 2010.01.02 20100102 1.0.0b2 1.0.0-alpha.2 v11.0.0',
  deb: '1.1.1n-0+deb11u5 1.1.1w-0+deb11u1 3.0.11-1~deb12u2 7.88.1-10+deb12u8 2.36-9+deb12u4 1:2.39.2-1.1 5.36.0-7+deb12u1 2:8.2.3995-1ubuntu2.17 1.0~rc1-1 1.0-1 1.0-1+b2 1.0+dfsg-3 0.0~git20200101.abcdef-2 4.13+dfsg1-1+deb12u1 6.4-4 5.2.15-2+b2 1:1.2.13.dfsg-1 2.3.4-5ubuntu0.22.04.1 252.30-1~deb12u2 1.0~~dev1 1.0 20230311 1.8.2 9.0.0+r1-2 3.1.4-1.1',
  gem: '7.0.4.1 6.1.7.1 5.2.8.15 1.16.2 2.2.3 3.0.0.pre1 3.0.0.rc2 3.0.0.beta.4 1.0.0.alpha 1.0 2 0.9.12 1.0.0-rc1 1.0.0.rc.1 4.2.11.3 2.0.0.beta10 1.10.0.RC1 0.0.0',
  golang:
    'v1.2.3 v0.17.0 v0.0.0-20191109021931-daa7c04131f5 v1.2.4-0.20200101000000-abcdefabcdef v2.0.0+incompatible v1.0.0-rc.1 v1.0.0-beta v0.1.0 v1.22.3 v1.10.0 1.21.5 v1.0.0-rc.10',
  hex: '1.7.10 0.20.2 1.0.0-rc.1 1.0.0-dev 2.0.0 1.0.0-rc.0 3.11.0 1.0.0+build',
  maven:
    '2.14.1 2.17.1 2.3.2 2.12.4 4.1.100.Final 5.3.20.RELEASE 5.3.18 32.0.0-android 32.0.0-jre 2.9.10.8 1.0-SNAPSHOT 2.0-beta9 2.0-rc1 1.0-alpha-1 1.0.0-M1 3.0.0-M10 1.2.17 1.0.0.GA 1.0.0.CR2 1.0-b2 6.0.0-RC3 20230227 1.0.1.RELEASE 12.2.0.jre11 1.5.0-b01 2.0.0.Alpha1 1.1 1 1.0 3.0.0-beta-2 9.4.51.v20230217 1.2.3-20230101.101010-1 8.0.33 1.0-sp1 2.0.SP2 1.0.0-jdk8 r09 Finchley.SR2 2.0.0-alpha-10 3.2.1-redhat-00001',
  npm: '1.2.3 4.17.21 0.2.4 1.0.0-alpha 1.0.0-alpha.1 1.0.0-beta.11 2.0.0-rc.1 10.0.0 1.0.0-next.20 0.0.0-20240101 1.0.0-0 5.0.0-canary.abc123 1.2.3-beta 3.0.0+build.7 0.0.1 16.8.0-alpha.0',
  nuget:
    '13.0.1 4.3.0 1.0.0-alpha 1.0.0-beta.2 1.0.0-beta.10 6.0.0-preview.3.21201.4 1.0.0.0 2.1.1 5.0.0-RC1 1.0 1.0.0-rc1 8.0.0-rc.2.23479.6 3.1.4+commit.a1b2c3 1.2.3.4 1.0.0-Beta',
  pub: '1.0.0 1.0.0-dev 0.13.5 1.0.0+1 1.0.0+2 2.0.0-nullsafety.0 2.0.0-nullsafety.10 3.0.0-dev.1 1.2.3+hotfix',
  pypi: '4.0.4 3.2.13 2.2.28 1.0a1 1.0b2 1.0rc1 1.0.dev456 1.0.post1 1.0.post456.dev34 2024.2.2 1.0 1.0.0 2!1.0 1.0+local.1 1.0+cu118 2.0.1+cu118 1.0-1 1.0.0-beta.2 1.0c3 0.0.1 22.3.1 1.0a2.dev3 65.5.1 1.0+ubuntu.1 v2.0 1.26.18 1.0.0rc10 1.0.alpha',
  rpm: '1.1.1k-9.el8_7 1.1.1k-12.el8_9 1:3.0.7-27.el9 3.0.7-27.el9 2.28-236.el8_9.12 4.18.0-513.9.1.el8_9 1.0~rc1-1.fc38 1.0-1.fc38 1.0^20230101git1234abc-1.fc38 7.76.1-29.el9_4.1 0:2.9.13-6.el9 5.1.8-9.el9 20230731-1.git94f0e2c.el9 1.8.0.402.b06-2.el8 9.0.1-1 2.4.6-97.el7_9.5 1.0a-1 1.0-0.1.rc1.el9 3.6.8-56.el8 8.32-1.module+el8',
  swift: '1.0.0 5.4.3 2.0.0-beta.1 1.0.0-rc.1 0.1.0 10.7.0',
};

export const TYPES = Object.keys(PUBLISHED);

const PIECES = [
  '.1',
  '.0',
  '-1',
  '-rc1',
  '-alpha',
  '.dev1',
  '~rc1',
  '+b1',
  '_p1',
  'a',
  'Final',
  '-SNAPSHOT',
  '.00',
  '.post1',
  '^git1',
  '-r2',
  '.10',
];

export type Pair = { readonly type: string; readonly left: string; readonly right: string };

/** Numbers below a bound, the same in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** As somebody writes a version otherwise, or a hostile one: other numbers, more and fewer parts, other separators. */
function mutate(text: string, random: (below: number) => number): string {
  const parts: string[] = text.match(/[0-9]+|[A-Za-z]+|[^0-9A-Za-z]/g) ?? [];
  const place = random(parts.length);
  const part = parts[place] ?? '';
  const replace = (by: string): string => parts.with(place, by).join('');
  const digits = /^[0-9]+$/.test(part);
  switch (random(9)) {
    case 0:
      return digits ? replace(String(Number(part.slice(0, 9)) + 1)) : text;
    case 1:
      return digits ? replace(`0${part}`) : replace(part.toUpperCase());
    case 2:
      return digits ? replace('0') : replace(part.toLowerCase());
    case 3:
      return `${text}${PIECES[random(PIECES.length)]}`;
    case 4:
      return parts.slice(0, place).join('') || text;
    case 5:
      return /^[^0-9A-Za-z]$/.test(part) ? replace('.-+~_^'.charAt(random(6))) : replace(`${part}${random(20)}`);
    case 6:
      return digits ? replace(`${part}${'9'.repeat(random(18))}`) : replace('beta');
    case 7:
      return parts.toSpliced(place, 1).join('') || text;
    default:
      return digits ? replace(String(random(12))) : text;
  }
}

/** Two thirds of the pairs are a version and what one to three changes make of it, the rest any two. */
export function versionPairs(type: string, count: number): Pair[] {
  const published = PUBLISHED[type]?.split(' ') ?? [];
  const random = seeded(published.length * 7919);
  const any = (): string => published[random(published.length)] ?? '';
  const changed = (text: string): string => {
    let version = text;
    for (let times = 1 + random(3); times > 0; times -= 1) version = mutate(version, random);
    return version;
  };
  return Array.from({ length: count }, () => {
    const left = any();
    const chance = random(6);
    if (chance < 4) return { type, left, right: changed(left) };
    return { type, left: chance === 4 ? left : changed(left), right: chance === 4 ? any() : changed(any()) };
  });
}
