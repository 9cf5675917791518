/// Streams. Each access is a subscription of its own that begins then and there: every report that
/// arrives later reaches it, or is counted as dropped, even before the first `next()`. Elements come
/// in the order of arrival, which is the same for every subscriber. Ending the loop and dropping the
/// stream, or cancelling the loop's task, unsubscribes; the last one out stops the receiver.
extension LocationManager {
  /// Every location, as it arrives.
  ///
  /// Iterate with `for try await`: the stream throws ``LocationError`` when permission is refused
  /// or withdrawn, or the source fails for good. A receiver without a fix or a gpsd that restarts
  /// ends nothing; ``liveUpdates``, which never throws, and ``connectionStates`` tell of them.
  /// Cancelling the loop's task ends it without an error. The newest elements are kept, up to
  /// ``Configuration/buffering``.
  public nonisolated var updates: AsyncThrowingStream<Location, any Error> {
    locations(UpdateOptions(buffering: buffering)).throwingStream()
  }

  /// The locations that these options let through; cheaper than ``updates``, and with a typed error.
  public nonisolated func updates(_ options: UpdateOptions) -> LocationUpdates {
    Updates(locations(options), limit: options.buffering.limit)
  }

  /// Headings that differ by a degree or more; from a compass where there is one, else from the
  /// course over ground while moving: ``Heading/source`` says which. Ends and throws as ``updates``
  /// does.
  public nonisolated var headings: AsyncThrowingStream<Heading, any Error> {
    headings(HeadingOptions(buffering: buffering)).throwingStream()
  }

  /// The headings that these options let through.
  public nonisolated func headings(_ options: HeadingOptions) -> HeadingUpdates {
    Updates(headings(options), limit: options.buffering.limit)
  }

  /// Every view of the sky, as it arrives. Ends and throws as ``updates`` does.
  public nonisolated var satellites: AsyncThrowingStream<SatelliteView, any Error> {
    let channel = Channel<SatelliteView>(buffering)
    return subscribe(channel, .satellites) { $1.join($0, channel, &$2) }.throwingStream()
  }

  /// Every location, or the reason why there is none; never throws, so `for await` serves.
  ///
  /// A refusal does not end it: it says so, and goes on when permission is granted. It ends when
  /// the manager is shut down or the source ends.
  public nonisolated var liveUpdates: AsyncStream<LocationUpdate> {
    let channel = Channel<LocationUpdate>(buffering)
    return subscribe(channel, .live) { $1.join($0, channel, &$2) }.stream()
  }

  /// How the backend stands with its source, the present state first. Watching starts nothing.
  public nonisolated var connectionStates: AsyncStream<ConnectionState> {
    let channel = Channel<ConnectionState>(buffering)
    return subscribe(channel, .connections) { $1.join($0, channel, &$2) }.stream()
  }

  /// What the manager is allowed, the present answer first. Watching asks nobody.
  public nonisolated var authorizationUpdates: AsyncStream<Authorization> {
    let channel = Channel<Authorization>(buffering)
    return subscribe(channel, .authorizations) { $1.join($0, channel, &$2) }.stream()
  }

  private nonisolated func locations(_ options: UpdateOptions) -> Subscription<Location> {
    let channel = Channel<Location>(options.buffering)
    let now = hub.timeline.now()
    return subscribe(channel, .locations) { $1.join($0, channel, options, at: now, &$2) }
  }

  private nonisolated func headings(_ options: HeadingOptions) -> Subscription<Heading> {
    let channel = Channel<Heading>(options.buffering)
    return subscribe(channel, .headings) { $1.join($0, channel, options, &$2) }
  }

  private nonisolated func subscribe<Element>(
    _ channel: Channel<Element>, _ stream: FanOut.Stream,
    _ join: (UInt64, inout HubState, inout Effects) -> Void
  ) -> Subscription<Element> {
    let id = hub.newID()
    hub.decide { join(id, &$0, &$1) }
    return Subscription(channel) { [hub] in
      hub.decide { $0.leave(id, stream, &$1) }
    }
  }
}
