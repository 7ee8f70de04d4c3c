/** The longest URI that is held against templates, in UTF-16 units. */
export const MAX_URI_CHARS = 8_192;
