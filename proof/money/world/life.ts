/** One life of a process, from its start to its end or its kill. */
export type Life = { dead: boolean; readonly name: string };

/** What never comes back to a process that is gone. */
export const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
