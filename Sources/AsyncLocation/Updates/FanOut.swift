/// Hands what arrives to the subscribers' channels, all in one order, each through its own filter.
struct FanOut: Sendable {
  typealias ID = UInt64

  enum Stream: Hashable, Sendable {
    case locations, headings, satellites, live, connections, authorizations
  }

  private struct LocationMember: Sendable {
    let channel: Channel<Location>
    var filter: UpdateFilter
  }

  private struct HeadingMember: Sendable {
    let channel: Channel<Heading>
    var filter: HeadingFilter
  }

  private struct LiveMember: Sendable {
    let channel: Channel<LocationUpdate>
    /// What it was told last, so that it hears of each reason once.
    var told: LocationUpdate.Diagnostics
  }

  private var locations = Roster<LocationMember>()
  private var headings = Roster<HeadingMember>()
  private var satellites = Roster<Channel<SatelliteView>>()
  private var live = Roster<LiveMember>()
  private var connections = Roster<Channel<ConnectionState>>()
  private var authorizations = Roster<Channel<Authorization>>()

  /// What has arrived and waits for ``flush(at:waking:)``, so that a burst costs one pass a
  /// subscriber. Emptied by every flush; their memory stays.
  private var stagedLocations: [Location] = []
  /// What the live streams are told with each staged location.
  private var stagedDiagnostics: [LocationUpdate.Diagnostics] = []
  private var accuracyCounts = true
  private var stagedHeadings: [Heading] = []
  private var stagedSatellites: [SatelliteView] = []

  /// Everything that entered a subscriber's channel so far.
  private(set) var tally = Tally()

  var hasLive: Bool { live.count > 0 }

  var subscribers: Int {
    locations.count + headings.count + satellites.count + live.count + connections.count
      + authorizations.count
  }

  /// The most elements that wait for any one subscriber.
  var longestQueue: Int {
    var (copy, longest) = (self, 0)
    copy.locations.visit { longest = max(longest, $0.channel.count) }
    copy.headings.visit { longest = max(longest, $0.channel.count) }
    copy.satellites.visit { longest = max(longest, $0.count) }
    copy.live.visit { longest = max(longest, $0.channel.count) }
    copy.connections.visit { longest = max(longest, $0.count) }
    copy.authorizations.visit { longest = max(longest, $0.count) }
    return longest
  }

  // MARK: Joining and leaving

  mutating func join(_ id: ID, _ channel: Channel<Location>, _ filter: UpdateFilter) {
    locations.add(LocationMember(channel: channel, filter: filter), id: id)
  }

  mutating func join(_ id: ID, _ channel: Channel<Heading>, _ filter: HeadingFilter) {
    headings.add(HeadingMember(channel: channel, filter: filter), id: id)
  }

  mutating func join(_ id: ID, _ channel: Channel<SatelliteView>) {
    satellites.add(channel, id: id)
  }

  /// Joins, and hears first why there is no location, if there is a reason.
  mutating func join(
    _ id: ID, _ channel: Channel<LocationUpdate>, told diagnostics: LocationUpdate.Diagnostics,
    waking wakes: inout Wakes
  ) {
    live.add(LiveMember(channel: channel, told: diagnostics), id: id)
    if !diagnostics.reasonsForNone.isEmpty {
      tally += channel.push(LocationUpdate(diagnostics: diagnostics), waking: &wakes)
    }
  }

  mutating func join(_ id: ID, _ channel: Channel<ConnectionState>) {
    connections.add(channel, id: id)
  }

  mutating func join(_ id: ID, _ channel: Channel<Authorization>) {
    authorizations.add(channel, id: id)
  }

  /// Takes a subscriber off and ends its channel.
  mutating func leave(_ id: ID, _ stream: Stream, waking wakes: inout Wakes) {
    switch stream {
    case .locations: locations.remove(id)?.channel.finish(waking: &wakes)
    case .headings: headings.remove(id)?.channel.finish(waking: &wakes)
    case .satellites: satellites.remove(id)?.finish(waking: &wakes)
    case .live: live.remove(id)?.channel.finish(waking: &wakes)
    case .connections: connections.remove(id)?.finish(waking: &wakes)
    case .authorizations: authorizations.remove(id)?.finish(waking: &wakes)
    }
  }

  // MARK: Reports

  /// - Parameters:
  ///   - isReduced: Whether accuracy is reduced, which is the same for all that is staged at a time.
  ///   - isStationary: Whether its receiver stands still.
  mutating func stage(
    _ location: Location, isReduced: Bool = false, isStationary: Bool = false
  ) {
    stagedLocations.append(location)
    accuracyCounts = !isReduced
    guard hasLive else { return }
    var diagnostics: LocationUpdate.Diagnostics = isReduced ? .accuracyLimited : []
    if isStationary { diagnostics.insert(.stationary) }
    stagedDiagnostics.append(diagnostics)
  }
  mutating func stage(_ heading: Heading) { stagedHeadings.append(heading) }
  mutating func stage(_ view: SatelliteView) { stagedSatellites.append(view) }

  /// Delivers what is staged.
  mutating func flush(at instant: Duration, waking wakes: inout Wakes) {
    var total = Tally()
    if !stagedLocations.isEmpty {
      locations.visit { member in
        total += member.channel.push(stagedLocations, waking: &wakes) {
          member.filter.admits($0, at: instant, accuracyCounts: accuracyCounts)
        }
      }
      live.visit { member in
        total += member.channel.push(
          zip(stagedLocations, stagedDiagnostics), waking: &wakes
        ) { location, diagnostics in
          guard location.sourceInformation.isPreferred else { return nil }
          member.told = []
          return LocationUpdate(location: location, diagnostics: diagnostics)
        }
      }
      stagedLocations.removeAll(keepingCapacity: true)
      stagedDiagnostics.removeAll(keepingCapacity: true)
    }
    if !stagedHeadings.isEmpty {
      headings.visit { member in
        total += member.channel.push(stagedHeadings, waking: &wakes) {
          member.filter.admits($0)
        }
      }
      stagedHeadings.removeAll(keepingCapacity: true)
    }
    if !stagedSatellites.isEmpty {
      satellites.visit { channel in
        total += channel.push(stagedSatellites, waking: &wakes) {
          $0.sourceInformation.isPreferred
        }
      }
      stagedSatellites.removeAll(keepingCapacity: true)
    }
    tally += total
  }

  // MARK: News that is no report

  /// Tells the live streams why there is no location; each hears of each reason once.
  mutating func tell(_ diagnostics: LocationUpdate.Diagnostics, waking wakes: inout Wakes) {
    var total = Tally()
    live.visit { member in
      defer { member.told = diagnostics }
      guard !diagnostics.reasonsForNone.isEmpty, diagnostics != member.told else { return }
      total += member.channel.push(LocationUpdate(diagnostics: diagnostics), waking: &wakes)
    }
    tally += total
  }

  /// - Parameter retired: Takes the states that made room: what they hold of a user's is freed
  ///   once no lock is held.
  mutating func publish(
    _ state: ConnectionState, waking wakes: inout Wakes, retiring retired: inout [ConnectionState]
  ) {
    var total = Tally()
    connections.visit { total += $0.push(state, waking: &wakes, retiring: &retired) }
    tally += total
  }

  mutating func publish(_ authorization: Authorization, waking wakes: inout Wakes) {
    var total = Tally()
    authorizations.visit { total += $0.push(authorization, waking: &wakes) }
    tally += total
  }

  /// Tells one new subscriber what holds already.
  mutating func tell<Element>(
    _ element: Element, _ channel: Channel<Element>, waking wakes: inout Wakes
  ) {
    tally += channel.push(element, waking: &wakes)
  }

  // MARK: The end

  /// Ends the streams that carry reports, after what they hold; returns who they were.
  mutating func endReports(_ error: LocationError?, waking wakes: inout Wakes) -> [ID] {
    let ids = locations.ids + headings.ids + satellites.ids
    for member in locations.removeAll() { member.channel.finish(error, waking: &wakes) }
    for member in headings.removeAll() { member.channel.finish(error, waking: &wakes) }
    for channel in satellites.removeAll() { channel.finish(error, waking: &wakes) }
    return ids
  }

  /// Ends the live streams, after what they hold; returns who they were.
  mutating func endLive(waking wakes: inout Wakes) -> [ID] {
    let ids = live.ids
    for member in live.removeAll() { member.channel.finish(waking: &wakes) }
    return ids
  }

  /// Ends the streams of states, after what they hold.
  mutating func endStates(waking wakes: inout Wakes) {
    for channel in connections.removeAll() { channel.finish(waking: &wakes) }
    for channel in authorizations.removeAll() { channel.finish(waking: &wakes) }
  }
}
