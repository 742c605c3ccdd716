import { describe, expect, it } from 'vitest';
import { createGuardedFetcher } from '../../src/outbound/guarded-fetch.ts';

const { checkPublicUrl } = createGuardedFetcher();

describe('allowed addresses', () => {
  it.each([
    'http://8.8.8.8/',
    'https://1.1.1.1:8443/a?b=c',
    'http://172.32.0.1/',
    'http://[2606:4700:4700::1111]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[64:ff9b::808:808]/',
  ])('include %s', async (url) => expect(await checkPublicUrl(url)).toBeUndefined());
});

describe('rejected addresses', () => {
  it.each([
    ['loopback', 'http://127.0.0.1/'],
    ['the end of the loopback range', 'http://127.255.255.254/'],
    ['loopback as one number', 'http://2130706433/'],
    ['loopback in hexadecimal', 'http://0x7f000001/'],
    ['loopback in octal', 'http://0177.0.0.1/'],
    ['loopback in short form', 'http://127.1/'],
    ['loopback in full-width digits', 'http://１２７.0.0.1/'],
    ['loopback with percent-encoding', 'http://%31%32%37.0.0.1/'],
    ['loopback of IPv6', 'http://[::1]/'],
    ['loopback of IPv6 in full', 'http://[0:0:0:0:0:0:0:1]/'],
    ['the unspecified address', 'http://0.0.0.0/'],
    ['the network of the unspecified address', 'http://0.1.2.3/'],
    ['the unspecified address of IPv6', 'http://[::]/'],
    ['private 10/8', 'http://10.0.0.1/'],
    ['private 172.16/12', 'http://172.31.255.255/'],
    ['private 192.168/16', 'http://192.168.1.1/'],
    ['link-local', 'http://169.254.169.254/latest/meta-data'],
    ['the host of an Azure machine', 'http://168.63.129.16/machine?comp=goalstate'],
    ['the host of an Azure machine, IPv4-mapped', 'http://[::ffff:168.63.129.16]/'],
    ['the host of an Azure machine, through NAT64', 'http://[64:ff9b::a83f:8110]/'],
    ['a service network of IBM Cloud', 'http://161.26.0.10/'],
    ['another service network of IBM Cloud', 'http://166.9.0.1/'],
    ['metadata of Alibaba Cloud', 'http://100.100.100.200/'],
    ['metadata of Oracle Cloud', 'http://192.0.0.192/'],
    ['metadata of Amazon over IPv6', 'http://[fd00:ec2::254]/'],
    ['metadata of Google over IPv6', 'http://[fd20:ce::254]/'],
    ['link-local of IPv6', 'http://[fe80::1]/'],
    ['a zone', 'http://[fe80::1%25eth0]/'],
    ['carrier-grade NAT', 'http://100.64.0.1/'],
    ['protocol assignments', 'http://192.0.0.1/'],
    ['documentation', 'http://203.0.113.1/'],
    ['benchmarks', 'http://198.18.0.1/'],
    ['multicast', 'http://224.0.0.1/'],
    ['multicast of IPv6', 'http://[ff02::1]/'],
    ['reserved', 'http://240.0.0.1/'],
    ['broadcast', 'http://255.255.255.255/'],
    ['unique-local', 'http://[fd00::1]/'],
    ['site-local', 'http://[fec0::1]/'],
    ['documentation of IPv6', 'http://[2001:db8::1]/'],
    ['Teredo', 'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/'],
    ['unallocated', 'http://[4000::1]/'],
    ['IPv4-mapped loopback', 'http://[::ffff:127.0.0.1]/'],
    ['IPv4-mapped private in hexadecimal', 'http://[::ffff:a00:1]/'],
    ['IPv4-compatible loopback', 'http://[::127.0.0.1]/'],
    ['IPv4-translated private', 'http://[::ffff:0:10.0.0.1]/'],
    ['private through NAT64', 'http://[64:ff9b::10.0.0.1]/'],
    ['local NAT64', 'http://[64:ff9b:1::808:808]/'],
    ['private through 6to4', 'http://[2002:a00:1::]/'],
    ['a file', 'file:///etc/passwd'],
    ['another protocol', 'ftp://8.8.8.8/'],
    ['a script', 'javascript:alert(1)'],
    ['a user name', 'http://user@8.8.8.8/'],
    ['a password', 'https://:secret@8.8.8.8/'],
    ['not a URL', 'example.com/a'],
    ['an empty text', ''],
  ])('include %s: %s', async (_what, url) => {
    await expect(checkPublicUrl(url)).rejects.toMatchObject({ name: 'GuardedFetchError', kind: 'refused' });
  });

  it('include loopback in any notation, unless loopback is allowed', async () => {
    const { checkPublicUrl: check } = createGuardedFetcher({ allowLoopback: true });
    for (const host of ['127.0.0.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]']) {
      expect(await check(`http://${host}/`)).toBeUndefined();
    }
    for (const host of ['10.0.0.1', '0.0.0.0', '169.254.169.254', '[fe80::1]']) {
      await expect(check(`http://${host}/`)).rejects.toMatchObject({ kind: 'refused' });
    }
  });
});

describe('host names', () => {
  const PUBLIC = { address: '8.8.8.8', family: 4 };
  const check = (...addresses: { address: string; family: number }[]) =>
    createGuardedFetcher({ resolveName: async () => addresses }).checkPublicUrl('https://host.example/');

  it('are allowed if all their addresses are public', async () => {
    expect(await check(PUBLIC, { address: '2606:4700:4700::1111', family: 6 })).toBeUndefined();
  });

  it.each(['127.0.0.1', '10.0.0.1', '::1', 'fe80::1%eth0', '::ffff:10.0.0.1', 'garbage'])(
    'are rejected if one of several addresses is %s, without it in the message',
    async (address) => {
      const error = await check(PUBLIC, { address, family: 4 }).catch((thrown: Error) => thrown);
      expect(error).toMatchObject({ kind: 'refused', message: 'The address is not public.' });
    },
  );

  it('are rejected if they have no address', async () => {
    await expect(check()).rejects.toMatchObject({ kind: 'refused' });
  });

  it.each([
    ['unknown', () => Promise.reject(new Error('ENOTFOUND 10.1.1.1'))],
    ['private', async () => [{ address: '10.1.1.1', family: 4 }]],
    ['names of a cloud machine', async () => [PUBLIC, { address: '168.63.129.16', family: 4 }]],
  ])('are rejected with the same error if they are %s', async (_what, resolveName) => {
    const fetcher = createGuardedFetcher({ resolveName });
    const expected = { kind: 'refused', message: 'The address is not public.' };
    await expect(fetcher.checkPublicUrl('https://host.example/')).rejects.toMatchObject(expected);
    const request = { timeoutMs: 5_000, maxBytes: 0 };
    await expect(fetcher.fetch('https://host.example/', request)).rejects.toMatchObject(expected);
  });

  it.each([
    'metadata.google.internal',
    'METADATA.google.internal.',
    'metadata.goog',
    'metadata.packet.net',
    'instance-data.ec2.internal',
    'printer.local',
  ])('are rejected if they belong to metadata services or private networks: %s', async (name) => {
    const { checkPublicUrl: toPublic } = createGuardedFetcher({ resolveName: async () => [PUBLIC] });
    await expect(toPublic(`https://${name}/`)).rejects.toMatchObject({ kind: 'refused' });
    expect(await toPublic(`https://${name.replace(/\.$/, '')}.example/`)).toBeUndefined();
  });

  it('of this machine are rejected with the resolver of the system', async () => {
    await expect(checkPublicUrl('http://localhost:80/')).rejects.toMatchObject({ kind: 'refused' });
  });
});
