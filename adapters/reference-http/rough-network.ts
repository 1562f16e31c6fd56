type Endpoint = (request: Request) => Promise<Response>;

/** In how many pieces a body may come: of so many bytes each, over and over. Cuts fall inside a line, a number, a character. */
const PIECES = [1, 7, 2, 64, 3, 1024] as const;

/** What a request is told that the network fails. Each asks to be sent again at once. */
const FAILURES = [429, 500] as const;

/**
 * A network between a client and an endpoint: of the requests that it has not seen before, some are answered with 429 or
 * 500; what gets through is answered in small pieces. Which request meets what depends on its body alone.
 */
export function roughNetwork(endpoint: Endpoint): Endpoint {
  const seen = new Set<string>();
  return async (request) => {
    const body = await request.clone().text();
    const luck = checksum(body) % 6;
    const isNew = !seen.has(body);
    seen.add(body);
    const failure = isNew ? FAILURES[luck] : undefined;
    return failure === undefined ? inPieces(await endpoint(request)) : failing(failure);
  };
}

function failing(status: number): Response {
  return Response.json({ error: { message: `The network said ${status}.`, type: 'rough_network' } }, { status, headers: { 'retry-after': '0' } });
}

async function inPieces(response: Response): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  return new Response(ReadableStream.from(piecesOf(bytes)), response);
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const size = PIECES[turn % PIECES.length] as number;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

function checksum(text: string): number {
  let sum = 7;
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) % 1_000_003;
  return sum;
}
