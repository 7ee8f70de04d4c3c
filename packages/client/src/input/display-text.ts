import { clip } from '@switchyard/protocol';

/**
 * Answers a text of a server for showing to a person: lines stay, other control characters, bidirectional overrides and
 * invisible characters go, at most `maxLength` characters and an ellipsis where more was there.
 */
export function displayText(text: string, maxLength: number): string {
  // Only the part that can end up in the answer is looked at, whatever the length of the text.
  const head = text.slice(0, maxLength * 4);
  const clean = head
    .replace(/\r\n?|[\p{Zl}\p{Zp}]/gu, '\n')
    .replace(/[\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/(?!\n)\p{Cc}/gu, ' ')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const isWhole = head.length === text.length && clean.length <= maxLength;
  return isWhole ? clean : clip(`${clean}…`, maxLength + 1);
}
