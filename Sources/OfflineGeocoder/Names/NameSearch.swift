internal import AsyncLocation

/// Finds the places of a name and ranks them. Pure.
struct NameSearch {
  struct Answer {
    /// The best first.
    var places: [Int] = []
    /// False if the places have the name, but are not in what follows it.
    var isComplete = true
  }

  private let gazetteer: Gazetteer
  private let near: SpacePoint?
  private let limit: Int
  private var main: NameList { NameList(gazetteer: gazetteer, kind: .main) }
  private var alternates: NameList { NameList(gazetteer: gazetteer, kind: .alternate) }

  init(_ gazetteer: Gazetteer, near: Coordinate?, limit: Int) {
    self.gazetteer = gazetteer
    self.near = near.map(SpacePoint.init)
    self.limit = limit
  }

  func answer(_ text: String) -> Answer {
    let readings = NameQuery.readings(of: text, in: gazetteer).filter { !$0.key.isEmpty }
    for find in [places(named:), places(misspelled:)] {
      for reading in readings {
        let places = find(reading)
        if !places.isEmpty { return Answer(places: places) }
      }
    }
    for reading in readings where reading.isQualified {
      let places = places(named: reading.unqualified)
      if !places.isEmpty { return Answer(places: places, isComplete: false) }
    }
    return Answer()
  }

  private func places(named query: NameQuery) -> [Int] {
    let equal = main.range(of: query.key, isPrefix: false)
    var found = Ranking(limit: limit)
    rank(equal, of: main, query, into: &found) {
      gazetteer.name($0).string == query.spelling
    }
    rank(equal, of: main, query, into: &found)
    rank(alternates.range(of: query.key, isPrefix: false), of: alternates, query, into: &found)
    guard !query.isExact else { return found.places }
    for list in [main, alternates] where !found.isFull {
      rank(list.range(of: query.key, isPrefix: true), of: list, query, into: &found)
    }
    return found.places
  }

  private func places(misspelled query: NameQuery) -> [Int] {
    guard !query.isExact else { return [] }
    let corrections = Misspelling.corrections(of: query.key)
    for list in [main, alternates] {
      var found = Ranking(limit: limit)
      for correction in corrections {
        insert(list.range(of: correction, isPrefix: false), of: list, query, into: &found)
      }
      if !found.places.isEmpty { return found.places }
    }
    return []
  }

  /// Adds the places of a range of names to a ranking, as a group after those in it.
  private func rank(
    _ range: Range<Int>, of list: NameList, _ query: NameQuery, into found: inout Ranking,
    where isIncluded: (Int) -> Bool = { _ in true }
  ) {
    found.beginGroup()
    insert(range, of: list, query, into: &found, where: isIncluded)
  }

  private func insert(
    _ range: Range<Int>, of list: NameList, _ query: NameQuery, into found: inout Ranking,
    where isIncluded: (Int) -> Bool = { _ in true }
  ) {
    for index in range {
      let place = list.place(index)
      guard query.admits(division: gazetteer.division(place)), isIncluded(place) else { continue }
      found.insert(place, weight(place))
    }
  }

  /// The population; divided by (1 + distance / 100 km)² if a point is given.
  private func weight(_ place: Int) -> Double {
    // One more, so that distances also rank places whose population is not known.
    let population = Double(gazetteer.population(place)) + 1
    guard let near else { return population }
    let chord = PlaceTree(nodes: gazetteer.places).point(place).squaredChord(to: near).squareRoot()
    let divisor = 1 + chord / (100_000 * SpacePoint.unitsPerMetre)
    return population / (divisor * divisor)
  }
}
