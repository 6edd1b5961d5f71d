import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useLocation, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useState } from "react";
import { OfferSheet } from "../../features/safer-play/view/limits-offer.tsx";
import { paths } from "../../shared/paths/paths.ts";
import { createStorage, STORAGE_KEYS } from "../../shared/storage/storage.ts";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import type { PlayerLink } from "../player/player-link.ts";
import { renewToken } from "../start/sign-in.ts";
import { useTextsOf } from "./use-texts-of.ts";

/** What is kept as long as the tab, so that a reload does not show it again. */
const sessionOf = oncePer((_: App) => createStorage(() => sessionStorage));

type LimitsAskProps = {
  readonly app: App;
  readonly link: PlayerLink;
  /** While it asks nothing. */
  readonly otherwise: ReactNode;
};

/** Asks once in each sign-in whether the player would like limits, over whatever page it is, but not over a page of protection. */
export default function LimitsAsk({ app, link, otherwise }: LimitsAskProps) {
  const ready = useTextsOf(app, "saferPlay");
  const { t } = useText();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const session = sessionOf(app);
  /** Of which sign-in the question was put off. */
  const [putOff, setPutOff] = useState(() => session.read(STORAGE_KEYS.limitsPutOff));
  const mark = `${link.player.id} ${link.player.signedInAt}`;
  if (putOff === mark) return otherwise;
  if (!ready || PROTECTING.has(pathname)) return null;
  function close(): void {
    session.write(STORAGE_KEYS.limitsPutOff, mark);
    setPutOff(mark);
  }
  return (
    <OfferSheet
      deps={{ ...app, wallet: link.wallet }}
      onClose={close}
      onSet={() => {
        close();
        void navigate({ to: paths.saferPlay, search: { tab: "limits" } });
      }}
      onAnswered={() => {
        close();
        app.messages.say("good", t("saferPlay.offerKept"));
        void renewToken(app);
      }}
    />
  );
}

const PROTECTING: ReadonlySet<string> = new Set([paths.saferPlay, paths.identity, paths.terms, paths.closed]);
