/** Words of Baton's own, with what stands between backticks as code. */
export function Coded({ text }: { text: string }) {
  const parts = [...text.matchAll(/`([^`]*)`|[^`]+|`/g)];
  return (
    <>
      {parts.map(({ 0: part, 1: code, index: at }) =>
        code === undefined ? part : <code key={at}>{code}</code>,
      )}
    </>
  );
}
