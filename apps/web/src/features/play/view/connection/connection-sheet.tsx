import { useEffect, useState } from "react";
import { useText, useTexts } from "../../../../shared/i18n/use-text.ts";
import { Segment } from "../../../../shared/ui/segment.tsx";
import { GameSheet } from "../game-sheet.tsx";
import css from "./connection.module.css";
import { LinkFigures } from "./link-figures.tsx";
import { SaveForSupport } from "./save-for-support.tsx";
import { SelfTest } from "./self-test.tsx";
import { useSelfTest } from "./use-self-test.ts";

export type ConnectionView = "now" | "test";

/** What there is to know of the link, and the test that names what keeps the picture away. */
export function ConnectionSheet(props: {
  readonly open: boolean;
  /** What it opens with. */
  readonly first: ConnectionView;
  readonly onClose: () => void;
}) {
  const { t } = useText();
  const texts = useTexts();
  const [ready, setReady] = useState(false);
  useEffect(() => {
    texts.need("connection").then(
      () => setReady(true),
      // Without its words it stays closed; they were asked for when the picture came.
      () => undefined,
    );
  }, [texts]);
  if (!ready) return null;
  return (
    <GameSheet open={props.open} onClose={props.onClose} title={t("connection.title")} wide>
      <Contents first={props.first} />
    </GameSheet>
  );
}

function Contents({ first }: { readonly first: ConnectionView }) {
  const { t } = useText();
  const [view, setView] = useState(first);
  const test = useSelfTest(first === "test");
  return (
    <>
      <Segment
        label={t("connection.views")}
        className={css["views"] ?? ""}
        value={view}
        onChange={setView}
        options={[
          { value: "now", label: t("connection.now") },
          { value: "test", label: t("connection.test") },
        ]}
      />
      {view === "now" ? <LinkFigures /> : <SelfTest test={test} />}
      <SaveForSupport findings={test.findings} />
    </>
  );
}
