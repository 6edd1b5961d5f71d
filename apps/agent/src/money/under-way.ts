/** Commands that wait or run, by id, so that a read-back says `pending` and never promises such an id away. */
export interface UnderWay {
  has(id: string): boolean;
  /** Answers how to leave. */
  enter(id: string): () => void;
}

export function createUnderWay(): UnderWay {
  const counts = new Map<string, number>();
  return {
    has: (id) => counts.has(id),
    enter: (id) => {
      counts.set(id, (counts.get(id) ?? 0) + 1);
      return () => {
        const left = (counts.get(id) ?? 1) - 1;
        if (left === 0) counts.delete(id);
        else counts.set(id, left);
      };
    },
  };
}
