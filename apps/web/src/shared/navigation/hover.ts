/** What opens under a resting pointer opens after this long, and closes as long after the pointer left, ms (specification section 9). */
export const HOVER_MS = 150;
