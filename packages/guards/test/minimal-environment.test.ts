import { minimalEnvironment } from '@switchyard/guards/node';
import { describe, expect, it } from 'vitest';

describe('the minimal environment', () => {
  it('holds the six names of POSIX and nothing else of the base', () => {
    const names = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
    const others = ['AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN', 'NODE_OPTIONS', 'LD_PRELOAD', 'path', 'Home', 'APPDATA'];
    const base = Object.fromEntries([...names, ...others].map((name) => [name, `value of ${name}`]));
    const environment = minimalEnvironment({ base, platform: 'linux' });
    expect(Object.keys(environment).sort()).toEqual(names);
    expect(environment['HOME']).toBe('value of HOME');
  });

  it('holds the names of Windows, in whatever case the base has them', () => {
    const base = {
      Path: 'C:\\bin',
      SystemRoot: 'C:\\Windows',
      Temp: 'C:\\t',
      HOME: 'no',
      ProgramFiles: 'C:\\p',
      PathExt: '.EXE;.CMD',
      Secret: 'x',
    };
    expect(minimalEnvironment({ base, platform: 'win32' })).toEqual({
      PATH: 'C:\\bin',
      SYSTEMROOT: 'C:\\Windows',
      TEMP: 'C:\\t',
      PROGRAMFILES: 'C:\\p',
      PATHEXT: '.EXE;.CMD',
    });
  });

  it('leaves out inherited bash functions and undefined values', () => {
    const base = { HOME: '() { echo pwned; }', TERM: undefined, SHELL: '/bin/sh' };
    expect(minimalEnvironment({ base, platform: 'linux' })).toEqual({ SHELL: '/bin/sh' });
  });

  it('lets the own variables win, as they are', () => {
    const env = { PATH: '/own', TOKEN: 't', EMPTY: '', FUNCTION: '() {' };
    expect(minimalEnvironment({ base: { PATH: '/bin' }, env, platform: 'darwin' })).toEqual(env);
  });

  it('replaces an inherited variable of Windows that differs in case only', () => {
    const environment = minimalEnvironment({ base: { PATH: 'C:\\bin' }, env: { Path: 'D:\\own' }, platform: 'win32' });
    expect(environment).toEqual({ Path: 'D:\\own' });
  });

  it('holds a variable called __proto__ as any other', () => {
    const env = JSON.parse('{"__proto__":"value"}') as Record<string, string>;
    const environment = minimalEnvironment({ base: {}, env, platform: 'linux' });
    expect(Object.entries(environment)).toEqual([['__proto__', 'value']]);
  });
});
