import { RouterProvider } from "@tanstack/react-router";
import { TextsContext } from "../shared/i18n/use-text.ts";
import { useLive } from "../shared/live/live.ts";
import { CurrencyContext } from "../shared/money/currency.ts";
import { MessageHost } from "../shared/ui/message-host.tsx";
import { Splash } from "../shared/ui/splash.tsx";
import type { App } from "./app.ts";
import type { Layers } from "./entrance/layers.ts";
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
