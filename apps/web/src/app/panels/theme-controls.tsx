import { useLive } from "@longarm/ui/live.ts";
import { useEffect, useState } from "react";
import { createStore } from "zustand/vanilla";
import type { ThemePanel } from "../../features/theme/theme-panels.tsx";
import { ThemeKeys, ThemePanels } from "../../features/theme/theme-panels.tsx";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import { changeAppearance } from "../appearance.ts";

/** The panel that is open. It stays so while another layout takes the keys away and brings them again. */
const openOf = oncePer((_: App) => createStore<ThemePanel | undefined>(() => undefined));

/** The theme's keys, inside a layout, or its panels, beside all of them. They come when their words are there; without those the page does without. */
export default function ThemeControls({ app, form }: { readonly app: App; readonly form: "keys" | "panels" }) {
  const [ready, setReady] = useState(false);
  const open = openOf(app);
  const panel = useLive(open);
  useEffect(() => {
    app.texts
      .need("theme")
      .then(() => setReady(true))
      .catch((error: unknown) => app.log("The texts of the theme could not be loaded.", error));
  }, [app]);
  if (!ready) return null;
  if (form === "keys") return <ThemeKeys onOpen={(wanted) => open.setState(wanted, true)} />;
  return (
    <ThemePanels
      open={panel}
      onClose={() => open.setState(undefined, true)}
      appearance={app.appearance}
      onChange={(choice) => changeAppearance(app, choice)}
    />
  );
}
