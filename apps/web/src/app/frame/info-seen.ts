import { createStorage, STORAGE_KEYS } from "../../shared/storage/storage.ts";
import type { App } from "../app.ts";
import { oncePer } from "../once-per.ts";

/** Whether this visit has seen the information text: it opens by itself once a session, and a new sign-in or a new text is a new one. */
export const infoSeenOf = oncePer<App, { isNew(): boolean; mark(): void }>(({ auth, settings, storage }) => {
  // Kept as long as the tab, so that a reload does not show it again.
  const session = createStorage(() => sessionStorage);
  auth.state.subscribe((state) => {
    // Behind the lock the sign-in goes on: whoever unlocks has read the text.
    if (state.is === "guest" && storage.read(STORAGE_KEYS.lock) === null) session.remove(STORAGE_KEYS.infoSeen);
  });
  return {
    isNew: () => session.read(STORAGE_KEYS.infoSeen) !== settings.infoText,
    mark: () => session.write(STORAGE_KEYS.infoSeen, settings.infoText),
  };
});
