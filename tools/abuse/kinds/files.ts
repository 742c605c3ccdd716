import { randomBytes } from 'node:crypto';
import type { Attacker } from '../attacker.ts';
import type { Kind, Site } from '../kind.ts';

const MIB = 1024 * 1024;
const BYTES = randomBytes(10 * MIB);

/** Announces a file of 10 MiB. Returns the path with its signature. */
async function announce(attacker: Attacker, { publicId }: Site): Promise<string> {
  const body = {
    name: 'a.bin',
    mime_type: 'application/octet-stream',
    size_bytes: BYTES.length,
    deployment_id: publicId,
  };
  const { upload } = await attacker.need<{ readonly upload: { readonly url: string } }>({
    method: 'POST',
    path: '/v1/uploads',
    body,
  });
  const { pathname, search } = new URL(upload.url);
  return pathname + search;
}

const put = (path: string, body: Buffer) =>
  ({ method: 'PUT', path, headers: { 'content-type': 'application/octet-stream' }, body }) as const;

/** Files of callers without credentials. */
export const FILES: readonly Kind[] = [
  {
    name: 'announced-uploads',
    about: 'Uploads that are announced and never sent',
    attack: (attacker, { publicId }) =>
      attacker.repeat(() =>
        attacker.send({
          method: 'POST',
          path: '/v1/uploads',
          body: { name: 'a.bin', mime_type: 'application/octet-stream', size_bytes: 10 * MIB, deployment_id: publicId },
        }),
      ),
  },
  {
    name: 'restarted-uploads',
    about: 'One upload of 10 MiB that starts again before its last byte, 5 times per second',
    async attack(attacker, site) {
      const path = await announce(attacker, site);
      const body = BYTES.subarray(0, -1);
      await attacker.repeat(() => attacker.send(put(path, body)), { perSecond: 5, concurrency: 4 });
    },
  },
  {
    name: 'broken-uploads',
    about: 'One upload of 10 MiB: connections that send 9 MiB and hang up',
    async attack(attacker, site) {
      const path = await announce(attacker, site);
      await attacker.hold(4, (socket) => {
        socket.write(
          `PUT ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/octet-stream\r\nContent-Length: ${BYTES.length}\r\n\r\n`,
        );
        socket.write(BYTES.subarray(0, 9 * MIB), () => socket.destroy());
      });
    },
  },
  {
    name: 'signed-reads',
    about: 'Reads of a file with wrong signatures',
    attack: (attacker) =>
      attacker.repeat(() =>
        attacker.send({
          path: `/v1/files/file_01kg9yjp8ze3ja2xw0q5cbnv7d/content?signature=${randomBytes(60).toString('base64url')}`,
        }),
      ),
  },
];
