import { TextsContext } from "@longarm/ui/i18n/use-text.ts";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { MessageHost } from "@longarm/ui/message-host.tsx";
import { CurrencyContext } from "@longarm/ui/money/currency.ts";
import { RouterProvider } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { createStore } from "zustand/vanilla";
import { Splash } from "../shared/ui/splash.tsx";
import type { App } from "./app.ts";
import type { AppRouter } from "./router.tsx";

type RootViewProps = { readonly app: App; readonly layers: Layers; readonly router: AppRouter | undefined };

/** The page: the splash (or nothing, by the settings) until the token is checked, then the routes; or what covers them. */
export function RootView({ app, layers, router }: RootViewProps) {
  const { cover, over, form } = useLive(layers);
  return (
    <TextsContext value={app.texts}>
      <CurrencyContext value={app.settings.currency}>
        {cover ?? <Uncovered app={app} router={router} />}
        {cover === undefined && form}
        {cover === undefined && over}
      </CurrencyContext>
    </TextsContext>
  );
}

/** Messages may name what only the player should read, so they go with the routes. */
function Uncovered({ app, router }: Pick<RootViewProps, "app" | "router">) {
  return (
    <>
      {router !== undefined && <RouterProvider router={router} />}
      {router === undefined && app.settings.showSplash && <Splash />}
      <MessageHost messages={app.messages} />
    </>
  );
}

/** What is drawn over the routes, or instead of them. */
type LayersNow = {
  /** Instead of them: the address gate, the idle lock. Nothing of the player is drawn under it. */
  readonly cover?: ReactNode;
  /** Over them: a question of the whole page. */
  readonly over?: ReactNode;
  /** A form that the page asks a player to fill in, and that may wait. */
  readonly form?: ReactNode;
};
export type Layers = Live<LayersNow> & {
  /** Changes one of them; undefined takes it away. */
  set(change: LayersNow): void;
};

export function createLayers(): Layers {
  const store = createStore<LayersNow>(() => ({}));
  return { ...store, set: (change) => store.setState(change) };
}
