import { STAFF_CLIP_PART_PATH } from "@longarm/contract/staff-disputes";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { CallProblem } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useOnline } from "../../shared/me.ts";
import { problemText } from "../../shared/problem-text.ts";
import css from "../../shared/ui/case.module.css";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded, Panel } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import type { Clip, GameFacts } from "./marks.ts";
import { BeforeAndAfter, Written } from "./question-facts.tsx";
import { ReplayPlayer } from "./replay-player.tsx";

/** A clip that is on its way is looked for so often, ms. */
const LOOK_MS = 2_000;
/** More is not held by a page, bytes: the first part of a very long game is shown. */
const BYTES_MAX = 120 * 1024 * 1024;

type ReplayProps = {
  readonly machine: string;
  readonly of: GameFacts;
  /** Marks a moment; absent where none can be marked. */
  readonly onMark?: ((momentMs: number) => void) | undefined;
};

/** The recording of a game on one time axis with all that is written of its seconds; without one, the seconds as text, and why. */
export function Replay({ machine, of, onMark }: ReplayProps) {
  const { t } = useText();
  const { api } = useConsole();
  const params = { machine, number: String(of.game.number) };
  const clip = useQuery({
    queryKey: ["clip", params],
    queryFn: () => api.call("clip", { params }),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isOnItsWay(data) ? LOOK_MS : false),
  });
  if (clip.data?.state === "ready") return <Ready {...{ params, of, onMark }} clip={clip.data} />;
  return (
    <>
      <Panel title={t("disputes.recording")}>
        <Loaded of={clip}>{(found) => <NotHere clip={found} params={params} />}</Loaded>
      </Panel>
      <Written of={of} />
    </>
  );
}

const isOnItsWay = ({ state }: Clip): boolean => state === "wanted" || state === "fetching";

type Params = { readonly machine: string; readonly number: string };

/** Why there is no picture, and the key that has it fetched. */
function NotHere({ clip, params }: { readonly clip: Clip; readonly params: Params }) {
  const speech = useText();
  const { t } = speech;
  const { api } = useConsole();
  const online = useOnline();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string>();
  async function request(): Promise<void> {
    setBusy(true);
    try {
      queries.setQueryData(["clip", params], await api.call("requestClip", { params, body: {} }));
      setFailed(undefined);
    } catch (error) {
      setFailed(problemText(speech, error instanceof CallProblem ? error : new CallProblem("unreadable")));
    } finally {
      setBusy(false);
    }
  }
  const { state, reason } = clip;
  return (
    <div role="status">
      <Empty
        icon={isOnItsWay(clip) ? "clock" : "camera"}
        title={t(`disputes.clip_${state === "ready" ? "fetching" : state}`)}
        {...(reason !== null && { body: t(`disputes.clipWhy_${reason}`) })}
      >
        {(state === "none" || state === "missing") && (
          <Key kind="line" busy={busy} disabled={!online} onClick={() => void request()}>
            {t(state === "none" ? "disputes.fetch" : "app.tryAgain")}
          </Key>
        )}
        {failed !== undefined && <p role="alert">{failed}</p>}
      </Empty>
    </div>
  );
}

type ReadyProps = Omit<ReplayProps, "machine"> & { readonly params: Params; readonly clip: Clip };

function Ready({ params, clip, of, onMark }: ReadyProps) {
  const { t } = useText();
  const { api } = useConsole();
  const names = namesWithin(clip);
  const parts = useQuery({
    queryKey: ["clipParts", params, names],
    queryFn: async () => {
      const loaded: { fromMs: number; bytes: ArrayBuffer }[] = [];
      for (const { name, fromMs } of clip.segments.slice(0, names.length))
        loaded.push({ fromMs, bytes: await api.file(STAFF_CLIP_PART_PATH, { ...params, name }) });
      return loaded;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (parts.data !== undefined)
    return (
      <ReplayPlayer {...{ clip, of, onMark }} segments={parts.data} isWhole={names.length === clip.segments.length} />
    );
  return (
    <>
      <Panel title={t("disputes.recording")}>
        <Loaded of={parts}>{() => null}</Loaded>
      </Panel>
      <Written of={of} />
    </>
  );
}

function namesWithin({ segments }: Clip): string[] {
  let left = BYTES_MAX;
  return segments.flatMap(({ name, bytes }) => {
    left -= bytes;
    return left < 0 ? [] : [name];
  });
}

/** One game of a machine without a question: its recording, and what each source kept of it. */
export function GamePage() {
  const { machine = "", number = "" } = useParams({ strict: false }) as {
    readonly machine?: string;
    readonly number?: string;
  };
  const { t } = useText();
  const found = useRead("gameOfClip", { params: { machine, number } });
  const { data } = found;
  const about = [data?.machine.name, data?.player?.username].filter(Boolean).join(", ");
  return (
    <Page title={t("disputes.gameOf", { number })} about={about === "" ? undefined : about}>
      <Loaded of={found}>
        {(detail) => (
          <div className={css["columns"]}>
            <div className={css["stack"]}>
              <Replay machine={machine} of={detail} />
            </div>
            <BeforeAndAfter detail={detail} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}
