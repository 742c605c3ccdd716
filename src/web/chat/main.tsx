import { mountHosted } from '../hosted/mount-hosted.tsx';
import { ChatPage } from './page.tsx';

mountHosted((data, user) => <ChatPage {...{ data, user }} />);
