/** A part of what a resource holds. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly offset: number;
  /** Whether there is something after it. */
  readonly more: boolean;
  /** Bytes in all, where that is known. */
  readonly size?: number;
  readonly version?: string;
  readonly lastModified?: string;
  readonly mimeType?: string;
  /** Whether it was given as text. */
  readonly isText?: true;
}

/** Which part is wanted, and how much may be read in vain to get there. */
export interface Wanted {
  readonly offset: number;
  /** At least 4, so that every character of UTF-8 fits. */
  readonly length: number;
  readonly maxSkipBytes: number;
}
