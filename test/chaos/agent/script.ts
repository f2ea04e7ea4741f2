/** What the text of a message tells the chaos agent to do, as JSON. Times in ms. */
export type Script =
  /** Works, writes chunks, and ends. */
  | { readonly do: 'work'; readonly chunks: number; readonly pauseMs: number; readonly flushEvery: number }
  /** Writes a chunk and asks for input. */
  | { readonly do: 'park' }
  /** Ends a parked task. */
  | { readonly do: 'finish' }
  /** Works until it is canceled, or for a long time. */
  | { readonly do: 'hold'; readonly ms: number; readonly deaf: boolean }
  /** Leaves the end to a task handle. */
  | { readonly do: 'detach' }
  /** Throws after a chunk. */
  | { readonly do: 'throw' };
