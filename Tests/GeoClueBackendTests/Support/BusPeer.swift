import AsyncLocation
import CSystemd

@testable import GeoClueBackend
@testable import LocationTransport

/// A call that a peer receives.
struct BusRequest: Sendable {
  var sender: String
  var path: String
  var interface: String
  var member: String
  var arguments: [BusValue]
}

/// The answer to a call.
enum BusReply: Sendable {
  case values([BusValue])
  /// No values, and then a signal of the called object.
  case signal(interface: String, member: String, [BusValue])
  case error(BusError)
  /// None.
  case silence
}

/// A program on a bus that answers calls, on the event loop's thread. Deallocation disconnects it.
final class BusPeer: Sendable {
  typealias Answer = @Sendable (BusRequest) -> BusReply

  private final class Core: BusConnectionHandler {
    var bus: BusConnection?
    let answer: Answer
    var opened: CheckedContinuation<Void, any Error>?
    var pending: [UInt64: CheckedContinuation<[BusValue], any Error>] = [:]

    init(_ answer: @escaping Answer) { self.answer = answer }

    func open(
      _ address: String, _ loop: EventLoop, _ caller: CheckedContinuation<Void, any Error>
    ) {
      opened = caller
      do throws(BusFailure) {
        bus = try BusConnection(address, on: loop, handler: self)
      } catch {
        busFailed(error.errno)
      }
    }

    func busOpened() {
      opened?.resume()
      opened = nil
    }

    func busReceived(_ message: BusMessage) {
      switch message.kind {
      case .call:
        let reply = answer(
          BusRequest(
            sender: message.sender, path: message.path, interface: message.interface,
            member: message.member, arguments: message.readArguments() ?? []))
        send(reply, to: message)
        if case .signal(let interface, let member, let values) = reply {
          emit(message.path, interface, member, values, nil)
        }
      case .answer: take(message)?.resume(returning: message.readArguments() ?? [])
      case .error: take(message)?.resume(throwing: message.error ?? BusError(name: "", message: ""))
      case .signal, .other: break
      }
    }

    private func take(_ message: BusMessage) -> CheckedContinuation<[BusValue], any Error>? {
      message.answeredCookie.flatMap { pending.removeValue(forKey: $0) }
    }

    private func send(_ reply: BusReply, to call: BusMessage) {
      var message: OpaquePointer?
      var values: [BusValue] = []
      switch reply {
      case .silence: return
      case .signal: sd_bus_message_new_method_return(call.raw, &message)
      case .values(let arguments):
        values = arguments
        sd_bus_message_new_method_return(call.raw, &message)
      case .error(let error):
        error.name.withCString { name in
          error.message.withCString { text in
            var raw = sd_bus_error(name: name, message: text, _need_free: 0)
            sd_bus_message_new_method_error(call.raw, &message, &raw)
          }
        }
      }
      guard let message else { return }
      _ = try? bus?.send(BusMessage(owning: message), values)
    }

    func call(_ call: BusCall, _ caller: CheckedContinuation<[BusValue], any Error>) {
      do throws(BusFailure) {
        guard let bus else { throw BusFailure(errno: 107) }
        pending[try bus.call(call)] = caller
      } catch {
        caller.resume(throwing: error)
      }
    }

    func emit(
      _ path: String, _ interface: String, _ member: String, _ values: [BusValue],
      _ destination: String?
    ) {
      var message: OpaquePointer?
      bus?.withBus { _ = sd_bus_message_new_signal($0, &message, path, interface, member) }
      guard let message else { return }
      if let destination { sd_bus_message_set_destination(message, destination) }
      let signal = BusMessage(owning: message)
      guard signal.append(values) else { return }
      if member == "PropertiesChanged" {  // Ends with the names of invalidated properties.
        sd_bus_message_open_container(message, CChar(UInt8(ascii: "a")), "s")
        sd_bus_message_close_container(message)
      }
      _ = try? bus?.send(signal, [])
    }

    func busHandledMessages() {}

    func busFailed(_ code: Int32) {
      opened?.resume(throwing: BusFailure(errno: code))
      opened = nil
      close()
    }

    func close() {
      bus?.close()
      bus = nil
      let callers = pending.values
      pending = [:]
      for caller in callers { caller.resume(throwing: BusFailure(errno: 107)) }
    }
  }

  private let core: LoopBound<Core>

  init(on address: String, _ answer: @escaping Answer = { _ in .silence }) async throws {
    let loop = try EventLoop.shared()
    let core = LoopBound(to: loop, Core(answer))
    self.core = core
    try await withCheckedThrowingContinuation { caller in
      core.submit { $0.open(address, loop, caller) }
    }
  }

  deinit { disconnect() }

  func disconnect() { core.submit { $0.close() } }

  /// Calls a method and waits for the answer.
  @discardableResult
  func call(_ call: BusCall) async throws -> [BusValue] {
    try await withCheckedThrowingContinuation { caller in core.submit { $0.call(call, caller) } }
  }

  /// Becomes the owner of a name, in place of an earlier one.
  func own(_ name: String) async throws {
    try await call(Self.bus("RequestName", [.string(name), .uint32(3)]))
  }

  func disown(_ name: String) async throws {
    try await call(Self.bus("ReleaseName", [.string(name)]))
  }

  func emit(
    _ path: String, _ interface: String, _ member: String, _ values: [BusValue],
    to destination: String? = nil
  ) {
    core.submit { $0.emit(path, interface, member, values, destination) }
  }

  static func bus(_ member: String, _ arguments: [BusValue]) -> BusCall {
    BusCall(
      destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
      interface: "org.freedesktop.DBus", member: member, arguments: arguments)
  }
}
