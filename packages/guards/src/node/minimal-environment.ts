const posixNames = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];

const windowsNames = [
  'APPDATA',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  // Without it a child finds no shim, such as npx.cmd, where the machine has its own list of endings.
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'USERNAME',
  'USERPROFILE',
  'PROGRAMFILES',
];

/** What a child's environment is made of. */
export interface MinimalEnvironmentOptions {
  /** The environment to inherit the few names from, usually `process.env`. */
  readonly base: Readonly<Record<string, string | undefined>>;
  /** The variables that the child gets in any case; they win over inherited ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** As `process.platform`. */
  readonly platform: string;
}

/**
 * The environment of a child process: the few variables that programs need to start (on POSIX HOME, LOGNAME, PATH,
 * SHELL, TERM and USER, on Windows their counterparts), and `env` on top. Nothing else is inherited, so no credential
 * of the parent reaches a child by accident. Inherited values that are exported bash functions (they start with `()`)
 * are left out.
 *
 * On Windows names are the same in any case: `Path` of `env` replaces `PATH`.
 */
export function minimalEnvironment({ base, env = {}, platform }: MinimalEnvironmentOptions): Record<string, string> {
  const isWindows = platform === 'win32';
  const result: Record<string, string> = {};
  const names = new Set(isWindows ? windowsNames : posixNames);
  for (const [name, value] of Object.entries(base)) {
    const known = isWindows ? name.toUpperCase() : name;
    if (value !== undefined && names.has(known) && !value.startsWith('()')) result[known] = value;
  }
  for (const [name, value] of Object.entries(env)) {
    if (isWindows) {
      for (const present of Object.keys(result)) {
        if (present.toUpperCase() === name.toUpperCase()) delete result[present];
      }
    }
    // Defined, not assigned: a variable may be called `__proto__`.
    Object.defineProperty(result, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return result;
}
