import AsyncLocation
import Glibc
import TestSupport

@testable import GPSDBackend
@testable import LocationTransport

/// A gpsd for any number of clients, with one receiver under the test's control.
final class WatchServer: Sendable {
  private struct State {
    var watchers: Set<Int32> = []
    var second = 0
  }

  var port: Int { listener.port }
  private let listener = Listener()
  private let state = Locked(State())

  init() {
    listener.accept { [state] client in
      _ = NamedThread.start("watch-client") { Self.serve(client, state) }
    }
  }

  deinit { listener.stop() }

  /// The number of clients that watch and have not begun to disconnect.
  ///
  /// Pending input is the final command of a client. A client that closes with unread bytes resets
  /// its connection; `recv` then fails with an error other than `EAGAIN`.
  var watchers: Int {
    state.withLock { state in
      state.watchers.count { client in
        var byte: UInt8 = 0
        return recv(client, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) < 0 && errno == EAGAIN
      }
    }
  }

  /// Sends one new fix to all watching clients.
  func sendFix() {
    state.withLock { state in
      state.second = (state.second + 1) % 60
      let bytes = Array(FakeGPSD.fix(state.second).utf8)
      for client in state.watchers { send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }
  }

  private static func serve(_ client: Int32, _ state: Locked<State>) {
    let banner = Array((FakeGPSD.banner).utf8)
    send(client, banner, banner.count, Int32(MSG_NOSIGNAL))
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = recv(client, &buffer, buffer.count, 0), count > 0 {
      text += buffer[..<count]
      while let end = text.firstIndex(of: 10) {
        let line = String(decoding: text[..<end], as: UTF8.self)
        text.removeSubrange(...end)
        let watches = line.hasPrefix("?WATCH") && line.contains("true")
        state.withLock { state in
          if watches {
            let answer = Array(FakeGPSD.watching.utf8)
            send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
            state.watchers.insert(client)
          } else if line.hasPrefix("?WATCH") {
            state.watchers.remove(client)
          }
        }
      }
    }
    _ = state.withLock { $0.watchers.remove(client) }
    close(client)
  }
}
