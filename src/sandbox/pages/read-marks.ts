/** Remembers which messages were opened on the pages, so that the others can be marked as unread. Kept in memory. */

/** Highest number of marks. Beyond it the oldest are dropped, and everything up to their time counts as read. */
const MOST_MARKS = 20_000;

export interface ReadMarks {
  /**
   * Reports whether a message or a send is unread: it was delivered since this sandbox started, and was not opened.
   * @param key id of the message, or key of the send
   * @param time Unix seconds of its delivery, or of the latest message of the send
   */
  readonly isUnread: (key: string, time: number) => boolean;
  /** Marks a message or a send as read. Messages of the send that are delivered after `time` stay unread. */
  readonly read: (key: string, time: number) => void;
  /** Marks everything as read that was delivered up to this time. */
  readonly readAll: (time: number) => void;
}

/** Creates the marks. @param since Unix seconds; everything that was delivered earlier counts as read */
export function createReadMarks(since: number): ReadMarks {
  const marks = new Map<string, number>();
  let from = since;
  return {
    isUnread: (key, time) => time >= from && time > (marks.get(key) ?? Number.NEGATIVE_INFINITY),
    read: (key, time) => {
      marks.delete(key);
      marks.set(key, time);
      for (const [oldest, last] of marks) {
        if (marks.size <= MOST_MARKS) break;
        marks.delete(oldest);
        from = Math.max(from, last + 1);
      }
    },
    readAll: (time) => {
      marks.clear();
      from = Math.max(from, time + 1);
    },
  };
}
