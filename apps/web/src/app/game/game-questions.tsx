import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import type { StoreApi } from "zustand/vanilla";
import type { Draft } from "../../features/disputes/ask-form.tsx";
import { QuestionPage } from "../../features/disputes/question-page.tsx";
import { LastGames } from "../../features/history/view/games-sheet.tsx";
import type { App } from "../app.ts";
import { useTextsOf } from "../panels/use-texts-of.ts";
import type { PlayerLink } from "../player/player-link.ts";
import { queryCacheOf } from "../player/query-cache.ts";
import { renewToken } from "../start/sign-in.ts";

/** The chosen game, and what is written about it. */
export type KeptQuestion = Pick<Draft, "kind" | "words"> & { readonly game: string | undefined };

export type QuestionsProps = {
  readonly app: App;
  readonly link: PlayerLink;
  readonly kept: StoreApi<KeptQuestion>;
};

/** The last games, and the question about the chosen one, beside a game that runs: no recording plays here, and nothing leads away. */
export default function GameQuestions({ app, link, kept }: QuestionsProps) {
  const { t } = useText();
  const hasRecord = useTextsOf(app, "record");
  const hasHistory = useTextsOf(app, "history");
  const { game, kind, words } = useLive(kept);
  const choose = (id?: string): void => kept.setState({ game: id, kind: "", words: "" });
  if (!hasRecord || !hasHistory) return <p role="status">{t("play.loading")}</p>;
  return (
    <QueryClientProvider client={queryCacheOf(link)}>
      {game === undefined ? (
        <LastGames api={app.api} isOpen onChoose={choose} />
      ) : (
        <>
          <Key kind="line" icon="back" onClick={() => choose()}>
            {t("record.lastGames")}
          </Key>
          <QuestionPage
            key={game}
            api={app.api}
            game={game}
            recording={<p>{t("play.askRecording")}</p>}
            onRead={() => void renewToken(app)}
            draft={{ kind, words, onChange: (now) => kept.setState(now) }}
          />
        </>
      )}
    </QueryClientProvider>
  );
}
