import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lchownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gapsFor, type UnixUser, unixUser } from './isolation.ts';

/** Users as plain data: nobody of them has to be on this machine. Files are made by whoever runs the test. */
const OWN = process.getuid?.() ?? 0;
const WITNESS = 70_001;
const AGENT: UnixUser = { name: 'agent', uid: 70_002, gids: [70_002] };

const modeOf = (octal: string) => Number.parseInt(octal, 8);

/** A folder that everybody may enter, below which a test makes what it needs. */
function openFolder(): string {
  const folder = temporaryFolder(onTestFinished);
  chmodSync(folder, 0o755);
  return folder;
}

function fileIn(folder: string, name: string, mode: number): string {
  const file = join(folder, name);
  writeFileSync(file, 'secret');
  chmodSync(file, mode);
  return file;
}

function folderIn(folder: string, name: string, mode: number): string {
  const path = join(folder, name);
  mkdirSync(path);
  chmodSync(path, mode);
  return path;
}

/** Sets an access control list by which one more user may read a file: Linux, with Python for the system call. */
function letRead(file: string, uid: number): boolean {
  const script = `
import os, struct, sys
entries = [(1, 6, -1), (2, 4, int(sys.argv[2])), (4, 0, -1), (16, 4, -1), (32, 0, -1)]
value = struct.pack('<I', 2) + b''.join(struct.pack('<HHi', *entry) for entry in entries)
os.setxattr(sys.argv[1], 'system.posix_acl_access', value)`;
  return spawnSync('python3', ['-c', script, file, `${uid}`]).status === 0;
}

const hasLists = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-acl-'));
  try {
    return letRead(fileIn(folder, 'file', 0o600), AGENT.uid);
  } finally {
    rmSync(folder, { recursive: true });
  }
})();

async function socketIn(folder: string, mode: number): Promise<string> {
  const path = join(folder, 'control.sock');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  chmodSync(path, mode);
  return path;
}

/** Somebody in the group of a file. */
const inGroupOf = (file: string): UnixUser => ({ ...AGENT, gids: [...AGENT.gids, statSync(file).gid] });
/** Root can give a file to anybody; else it belongs to whoever runs the test, and that is the agent. */
const OWNER: UnixUser = { name: 'owner', uid: OWN === 0 ? 70_003 : OWN, gids: [] };
const givenToOwner = (path: string) => {
  if (OWN === 0) chownSync(path, OWNER.uid, 0);
  return path;
};

const pathsOf = (user: UnixUser, ...files: readonly string[]) => gapsFor(user, files, WITNESS).map(({ path }) => path);
const problemOf = (user: UnixUser, file: string) => gapsFor(user, [file], WITNESS)[0]?.problem;

describe('a file', () => {
  it.each([
    ['600', false, false],
    ['400', false, false],
    ['640', true, false],
    ['660', true, false],
    ['620', true, false],
    ['610', false, false],
    ['644', true, true],
    ['604', false, true],
    ['602', false, true],
    ['601', false, false],
    ['666', true, true],
    ['777', true, true],
    ['060', true, false],
    ['006', false, true],
  ])('with mode %s is in reach of its group: %s, and of everybody else: %s', (octal, ofGroup, ofOthers) => {
    const file = fileIn(openFolder(), 'witness.pem', modeOf(octal));
    expect(pathsOf(inGroupOf(file), file)).toEqual(ofGroup ? [file] : []);
    expect(pathsOf(AGENT, file)).toEqual(ofOthers ? [file] : []);
  });

  it('is in reach of its owner, whatever its mode: an owner can change it', () => {
    const file = givenToOwner(fileIn(openFolder(), 'witness.pem', 0o000));
    expect(pathsOf(OWNER, file)).toEqual([file]);
    expect(pathsOf(AGENT, file)).toEqual([]);
  });

  it('is not in reach of a group that it is not of, and every group of a user counts', () => {
    const file = fileIn(openFolder(), 'witness.pem', 0o640);
    const { gid } = statSync(file);
    expect(pathsOf({ ...AGENT, gids: [gid + 1] }, file)).toEqual([]);
    expect(pathsOf({ ...AGENT, gids: [] }, file)).toEqual([]);
    expect(pathsOf({ ...AGENT, gids: [gid + 1, gid + 2, gid] }, file)).toEqual([file]);
  });

  it('with a second name somewhere is in reach by that, whatever folder the first one is in', () => {
    const closed = openFolder();
    const file = fileIn(closed, 'witness.pem', 0o644);
    chmodSync(closed, 0o700);
    expect(pathsOf(AGENT, file)).toEqual([]);
    linkSync(file, join(openFolder(), 'copy'));
    expect(pathsOf(AGENT, file)).toEqual([file]);
  });

  it('that is no secret may be read, and not written', () => {
    const folder = openFolder();
    const [read, written] = [fileIn(folder, 'a', 0o644), fileIn(folder, 'b', 0o646)];
    expect(gapsFor(AGENT, [read, written], WITNESS, false)).toEqual([{ path: written, problem: 'agent can write it' }]);
  });

  it.skipIf(!hasLists)('with an access control list is a gap', () => {
    const file = fileIn(openFolder(), 'witness.pem', 0o600);
    letRead(file, AGENT.uid);
    expect(problemOf(AGENT, file)).toBe(`${file} has an access control list`);
  });

  it('that is named several times, or beside others, has its own gap each time', () => {
    const folder = openFolder();
    const [open, closed] = [fileIn(folder, 'a', 0o644), fileIn(folder, 'b', 0o600)];
    expect(pathsOf(AGENT, closed, open, closed, open)).toEqual([open, open]);
  });

  it('is named in full, however it is written', () => {
    const folder = openFolder();
    const file = fileIn(folder, 'a', 0o644);
    expect(pathsOf(AGENT, `${folder}/./x/../a`)).toEqual([file]);
  });

  it('that is not there is no file without a gap', () => {
    const missing = join(openFolder(), 'witness.pem');
    expect(() => gapsFor(AGENT, [missing], WITNESS)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });
});

describe('a folder above', () => {
  it.each([
    ['700', false],
    ['710', false],
    ['704', false],
    ['701', true],
    ['705', true],
    ['755', true],
  ])('with mode %s, which others may enter: %s, keeps what is in it from them, or not', (octal, isEntered) => {
    const folder = folderIn(openFolder(), 'witness', modeOf(octal));
    const file = fileIn(folder, 'witness.pem', 0o644);
    expect(pathsOf(AGENT, file)).toEqual(isEntered ? [file] : []);
    chmodSync(folder, 0o700);
  });

  it('that cannot be entered keeps all that is below it, at any depth', () => {
    const closed = folderIn(openFolder(), 'witness', 0o700);
    const file = fileIn(folderIn(folderIn(closed, 'a', 0o755), 'b', 0o755), 'witness.pem', 0o644);
    expect(pathsOf(AGENT, file)).toEqual([]);
    expect(pathsOf(inGroupOf(file), file)).toEqual([]);
    chmodSync(closed, 0o750);
    expect(pathsOf(inGroupOf(file), file)).toEqual([file]);
    expect(pathsOf(AGENT, file)).toEqual([]);
  });

  it.each([
    ['777', true, true],
    ['772', true, true],
    ['757', false, true],
    ['770', true, false],
    ['755', false, false],
  ])(
    'with mode %s may be written by its group: %s, by others: %s, who can replace what is in it',
    (octal, ofGroup, ofOthers) => {
      const folder = folderIn(openFolder(), 'witness', modeOf(octal));
      const file = fileIn(folder, 'witness.pem', 0o600);
      expect(pathsOf(inGroupOf(folder), file)).toEqual(ofGroup ? [file] : []);
      expect(pathsOf(AGENT, file)).toEqual(ofOthers ? [file] : []);
    },
  );

  it('that may be written is named, also far above', () => {
    const writable = folderIn(openFolder(), 'shared', 0o777);
    const file = fileIn(folderIn(folderIn(writable, 'a', 0o755), 'b', 0o700), 'witness.pem', 0o600);
    expect(problemOf(AGENT, file)).toBe(`agent may write in ${writable}`);
  });

  it('that belongs to the agent can be written by it, whatever its mode, and also where it is sticky', () => {
    for (const mode of [0o700, 0o500, 0o1700, 0o1777]) {
      const folder = folderIn(openFolder(), 'agent', 0o700);
      const file = fileIn(folder, 'witness.pem', 0o600);
      chmodSync(givenToOwner(folder), mode);
      expect(problemOf(OWNER, file), mode.toString(8)).toMatch(/may write in/);
      chmodSync(folder, 0o700);
    }
  });

  it('that is sticky, as /tmp is, lets nobody replace what is another’s', () => {
    const sticky = folderIn(openFolder(), 'tmp', 0o1777);
    const closed = fileIn(sticky, 'closed', 0o600);
    const open = fileIn(sticky, 'open', 0o644);
    expect(pathsOf(AGENT, closed, open)).toEqual([open]);
    // What is the agent's own in it can be replaced by the agent, a link to another's file too.
    const link = join(sticky, 'link');
    symlinkSync(closed, link);
    expect(pathsOf(AGENT, link)).toEqual([]);
    if (OWN === 0) {
      lchownSync(link, OWNER.uid, 0);
      expect(pathsOf(OWNER, link)).toEqual([link]);
    }
    // The bit protects what stands in the folder itself, and nothing further down.
    const file = fileIn(folderIn(sticky, 'shared', 0o777), 'witness.pem', 0o600);
    expect(problemOf(AGENT, file)).toBe(`agent may write in ${dirname(file)}`);
  });
});

describe('a link', () => {
  it('keeps nothing from those who know where it leads', () => {
    const folder = openFolder();
    const target = fileIn(folder, 'witness.pem', 0o644);
    const link = join(folderIn(folder, 'private', 0o700), 'witness.pem');
    symlinkSync(target, link);
    expect(pathsOf(AGENT, link)).toEqual([link]);
    chmodSync(target, 0o600);
    expect(pathsOf(AGENT, link)).toEqual([]);
  });

  it('is no open door: what it leads to may be closed', () => {
    const folder = openFolder();
    const target = fileIn(folderIn(folder, 'private', 0o700), 'witness.pem', 0o644);
    symlinkSync(target, join(folder, 'witness.pem'));
    expect(pathsOf(AGENT, join(folder, 'witness.pem'))).toEqual([]);
  });

  it.each(['file', 'folder'])(
    'into a folder that may be written leads to what can be replaced: a link to a %s',
    (what) => {
      const folder = openFolder();
      const shared = folderIn(folder, 'shared', 0o777);
      const target = fileIn(folderIn(shared, 'own', 0o700), 'witness.pem', 0o600);
      const link = join(folderIn(folder, 'private', 0o700), 'link');
      symlinkSync(what === 'file' ? target : dirname(target), link);
      const file = what === 'file' ? link : join(link, 'witness.pem');
      expect(problemOf(AGENT, file)).toBe(`agent may write in ${shared}`);
    },
  );

  it('counts with every link that it leads to, also one that is written from where it stands', () => {
    const folder = openFolder();
    const shared = folderIn(folder, 'shared', 0o777);
    const target = fileIn(folderIn(folder, 'private', 0o700), 'witness.pem', 0o600);
    symlinkSync(`.//../private/witness.pem`, join(shared, 'second'));
    symlinkSync('shared/second', join(folder, 'first'));
    expect(problemOf(AGENT, join(folder, 'first'))).toBe(`agent may write in ${shared}`);
    expect(pathsOf(AGENT, target)).toEqual([]);
  });

  it('that leads in a circle is no file without a gap', () => {
    const folder = openFolder();
    symlinkSync('a', join(folder, 'a'));
    expect(() => gapsFor(AGENT, [join(folder, 'a')], WITNESS)).toThrow(expect.objectContaining({ code: 'ELOOP' }));
  });
});

describe('a socket', () => {
  it.each([
    ['600', false, false],
    ['660', true, false],
    ['640', false, false],
    ['604', false, false],
    ['602', false, true],
    ['666', true, true],
  ])(
    'with mode %s is in reach of its group: %s, and of everybody else: %s: who may write may connect',
    async (octal, ofGroup, ofOthers) => {
      const socket = await socketIn(openFolder(), modeOf(octal));
      expect(pathsOf(inGroupOf(socket), socket)).toEqual(ofGroup ? [socket] : []);
      expect(pathsOf(AGENT, socket)).toEqual(ofOthers ? [socket] : []);
    },
  );

  it('is told from a file, and kept by a closed folder like one', async () => {
    const folder = openFolder();
    const [socket, file] = [await socketIn(folder, 0o666), fileIn(folder, 'a', 0o666)];
    const problems = [problemOf(AGENT, socket), problemOf(AGENT, file)];
    expect(new Set(problems).size).toBe(2);
    chmodSync(folder, 0o700);
    expect(pathsOf(AGENT, socket, file)).toEqual([]);
  });
});

describe('an agent', () => {
  it('with the witness’s own user has every file of it', () => {
    const file = fileIn(openFolder(), 'witness.pem', 0o600);
    expect(gapsFor({ ...AGENT, uid: WITNESS }, [file], WITNESS).map(({ path }) => path)).toEqual(['agent']);
    expect(gapsFor({ ...AGENT, uid: WITNESS }, [], WITNESS)).toHaveLength(1);
  });

  it('that is root has every file of the machine', () => {
    expect(gapsFor({ name: 'root', uid: 0, gids: [0] }, [], WITNESS).map(({ path }) => path)).toEqual(['root']);
  });
});

describe('a user of this machine', () => {
  it('is found by name, with all its groups', () => {
    const { username, uid, gid } = userInfo();
    expect(unixUser(username)).toEqual({ name: username, uid, gids: expect.arrayContaining([gid]) });
  });

  it.each(['no-such-user-here', '', '-u', '--help', 'a b', 'root;id', '../root', '0'])('is none of %j', (name) => {
    expect(() => unixUser(name)).toThrow();
  });
});
