const LETTER_D = 100;
/** What one line of data costs in memory at least, whatever is in it, as characters. */
const MIN_LINE_WEIGHT = 64;
/** What stands around the data of an event that is just short enough. */
const SLACK = 64 * 1024;

/** Weighs the events of a stream as they come, before they are whole. */
export interface EventWeight {
  /** Takes text whose lines end in LF, and answers whether the event that is under way became too heavy. */
  add(text: string): boolean;
}

/**
 * Creates the scales of one stream: an event may weigh twice `maxEventLength`, in UTF-16 units of the lines of its data,
 * names of fields included. A line counts as 64 at least, since one without anything in it costs memory, too, and a
 * parser that looks at what is in them does not see it.
 */
export function createEventWeight(maxEventLength: number): EventWeight {
  const most = 2 * maxEventLength + SLACK;
  let weight = 0;
  /** The line that is under way. */
  let lineLength = 0;
  let isData = false;

  return {
    add(text) {
      for (let start = 0; start < text.length;) {
        if (lineLength === 0) isData = text.charCodeAt(start) === LETTER_D;
        const end = text.indexOf('\n', start);
        if (end === -1) {
          lineLength += text.length - start;
          break;
        }
        lineLength += end - start;
        // An empty line ends the event; comments keep a stream alive and cost nothing.
        if (lineLength === 0) weight = 0;
        else if (isData) weight += Math.max(lineLength, MIN_LINE_WEIGHT);
        if (weight > most) return true;
        lineLength = 0;
        start = end + 1;
      }
      return false;
    },
  };
}
