import { RouterProvider } from "@tanstack/react-router";
import { useState } from "react";
import { StepUpSheet } from "../features/step-up/step-up-sheet.tsx";
import { useConsole } from "../shared/console.ts";
import { createConsoleRouter } from "./router.tsx";

/** Everything of a person who is signed in. */
export default function Pages() {
  const { texts } = useConsole();
  const [router] = useState(() => createConsoleRouter(texts));
  return (
    <>
      <RouterProvider router={router} />
      <StepUpSheet />
    </>
  );
}
