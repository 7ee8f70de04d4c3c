import { isAbsolute, join } from 'node:path';
import process from 'node:process';
import type { Surroundings } from '../surroundings.ts';

/**
 * Answers the folder of the user's logins: `switchyard/logins` in `XDG_CONFIG_HOME`, or where the platform keeps
 * settings of a user; `undefined` where the environment names no such place.
 */
export function loginFolder(env: Surroundings['env'], platform: string = process.platform): string | undefined {
  const settings = settingsOf(env, platform);
  return settings === undefined || !isAbsolute(settings) ? undefined : join(settings, 'switchyard', 'logins');
}

function settingsOf(env: Surroundings['env'], platform: string): string | undefined {
  const { XDG_CONFIG_HOME: xdg, HOME: home, APPDATA: appData } = env;
  if (xdg !== undefined && xdg !== '') return xdg;
  if (platform === 'win32') return appData;
  if (home === undefined || home === '') return undefined;
  return platform === 'darwin' ? join(home, 'Library', 'Application Support') : join(home, '.config');
}
