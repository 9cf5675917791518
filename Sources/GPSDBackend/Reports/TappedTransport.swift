/// A transport on whose connections a subscriber to reports listens in, and that asks gpsd for what
/// the subscriber wants where a run would ask for plain reports.
///
/// A session works on it as on any other, so that reports heal as locations do.
final class TappedTransport: Transport {
  private let base: any Transport
  private let command: Replacement
  private let makeTap: @Sendable () -> ReportTap
  private let deliver: @Sendable (ReportSubscription.Batch) -> Void

  struct Replacement: Sendable {
    let original: [UInt8]
    let replacement: [UInt8]
  }

  init(
    _ base: any Transport, replacing command: Replacement,
    tap makeTap: @escaping @Sendable () -> ReportTap,
    deliver: @escaping @Sendable (ReportSubscription.Batch) -> Void
  ) {
    self.base = base
    self.command = command
    self.makeTap = makeTap
    self.deliver = deliver
  }

  var isCurrent: Bool { base.isCurrent }
  var workspace: Workspace { base.workspace }
  func submit(_ work: @escaping @Sendable () -> Void) { base.submit(work) }
  func now() -> Duration { base.now() }
  func arm(at instant: Duration, _ action: @escaping () -> Void) -> TimerID {
    base.arm(at: instant, action)
  }
  func postpone(_ timer: TimerID, to instant: Duration) { base.postpone(timer, to: instant) }
  func cancel(_ timer: TimerID) { base.cancel(timer) }
  func resolve(
    host: String, port: Int,
    _ answer: @escaping (Result<[SocketAddress], TransportFailure>) -> Void
  ) -> LookupID {
    base.resolve(host: host, port: port, answer)
  }
  func cancel(_ lookup: LookupID) { base.cancel(lookup) }

  func open(_ address: SocketAddress, handler: any ChannelHandler) -> any Channel {
    let handler = TappedHandler(handler, makeTap(), deliver)
    return TappedChannel(base.open(address, handler: handler), command)
  }
}

private final class TappedHandler: ChannelHandler {
  private let handler: any ChannelHandler
  private var tap: ReportTap
  private let deliver: (ReportSubscription.Batch) -> Void

  init(
    _ handler: any ChannelHandler, _ tap: consuming ReportTap,
    _ deliver: @escaping (ReportSubscription.Batch) -> Void
  ) {
    self.tap = tap
    (self.handler, self.deliver) = (handler, deliver)
  }

  func channelOpened() { handler.channelOpened() }
  func channelFailed(_ failure: TransportFailure) { handler.channelFailed(failure) }
  func channelClosed(_ failure: TransportFailure?) { handler.channelClosed(failure) }

  func channelReceived(_ bytes: UnsafeRawBufferPointer) {
    let batch = tap.read(bytes)
    if !batch.isEmpty { deliver(batch) }
    handler.channelReceived(bytes)
  }
}

private final class TappedChannel: Channel {
  private let channel: any Channel
  private let command: TappedTransport.Replacement

  init(_ channel: any Channel, _ command: TappedTransport.Replacement) {
    (self.channel, self.command) = (channel, command)
  }

  func send(_ bytes: [UInt8]) {
    channel.send(bytes == command.original ? command.replacement : bytes)
  }
  func close() { channel.close() }
}
