import { expect, it } from 'vitest';
import { loginFolder } from '../src/logins/login-folder.ts';

it.each([
  ['linux', { HOME: '/home/mira' }, '/home/mira/.config/switchyard/logins'],
  ['linux', { HOME: '/home/mira', XDG_CONFIG_HOME: '' }, '/home/mira/.config/switchyard/logins'],
  ['linux', { HOME: '/home/mira', XDG_CONFIG_HOME: '/settings' }, '/settings/switchyard/logins'],
  ['linux', { HOME: '/home/mira', XDG_CONFIG_HOME: 'settings' }, undefined],
  ['darwin', { HOME: '/Users/mira' }, '/Users/mira/Library/Application Support/switchyard/logins'],
  ['darwin', { HOME: '/Users/mira', XDG_CONFIG_HOME: '/settings' }, '/settings/switchyard/logins'],
  ['win32', { APPDATA: '/mira/AppData/Roaming', HOME: '/elsewhere' }, '/mira/AppData/Roaming/switchyard/logins'],
  ['linux', {}, undefined],
  ['win32', {}, undefined],
])('keeps logins on %s with %j in %s', (platform, env, folder) => {
  expect(loginFolder(env, platform)).toBe(folder);
});
