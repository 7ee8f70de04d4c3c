const PHONE_NAME = /(?:^|[^a-z])(?:phone|mobile|telephone|tel|fax)(?:[^a-z]*(?:number|no))?$/;

/** Whether a name announces the number of a telephone. */
export function isPhoneName(name: string): boolean {
  return name.length <= 100 && PHONE_NAME.test(name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase());
}
