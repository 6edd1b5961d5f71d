/* A process that does nothing: what its event loop waits for, every process on this computer waits for. */
setInterval(() => undefined, 1_000);
process.once("disconnect", () => process.exit());
